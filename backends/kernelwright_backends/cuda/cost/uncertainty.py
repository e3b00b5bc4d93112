"""The uncertainty of an estimate, by what the estimate rests on.

A weight each for signs of doubt in the launch that takes longest; they say by which factor the estimates of nine of ten kernels
are off at most, for operators that no constant was fitted on (benchmarks/accuracy/calibrate.py).
"""

import math
from collections.abc import Mapping, Sequence

from kernelwright_backends.cuda.cost.chip import Chip
from kernelwright_backends.cuda.cost.counters import BulkOperation, Sample
from kernelwright_backends.cuda.cost.launch import LaunchTime

# Of the logarithm of the factor.
_WEIGHTS = {
    "always": 0.335,
    "caught": 0.161,
    "uneven": 0.240,
    "few": 0.185,
    "gathered": 0.126,
    "handed": -0.312,
}
_LEAST, _MOST = 1.15, 4.0
_UNMEASURED = 1.4


def factor(
    launches: Sequence[Sample | BulkOperation], steps: Sequence[LaunchTime], overhead_us: float, chip: Chip
) -> float:
    """To either side of the estimate; more for a chip whose constants nobody measured."""
    sign_values = signs(launches, steps, overhead_us, chip)
    within = math.exp(sum(_WEIGHTS[name] * value for name, value in sign_values.items()))
    within = min(_MOST, max(_LEAST, within))
    return within if chip.measured else within * _UNMEASURED


def signs(
    launches: Sequence[Sample | BulkOperation], steps: Sequence[LaunchTime], overhead_us: float, chip: Chip
) -> Mapping[str, float]:
    """Each from 0 to 1: what makes the estimate less certain, or, as its launches' own time, more."""
    busy = sum(step.total_us for step in steps)
    found = {"always": 1.0, "handed": overhead_us / (overhead_us + busy)}
    sample = launches[max(range(len(steps)), key=lambda n: steps[n].total_us)]
    if isinstance(sample, BulkOperation):
        return found
    counts, caches = sample.counts, sample.caches
    asked = caches.l1_hits + caches.l1_misses
    hit = caches.l1_hits / asked if asked else 0.0
    return found | {
        # Hits and misses mixed: what the caches keep decides.
        "caught": 4 * hit * (1 - hit),
        # Blocks that do more than others.
        "uneven": min(1.0, math.log(max(sample.heaviest, sample.elsewhere, 1 / max(sample.elsewhere, 0.1)))),
        # No further blocks to fill in.
        "few": 1.0 if sample.blocks < 2 * sample.resident * chip.processor.count else 0.0,
        # Loads whose lanes lie apart.
        "gathered": min(1.0, (counts.load_lines / counts.load_requests - 1) / 31)
        if counts.load_requests
        else 0.0,
    }
