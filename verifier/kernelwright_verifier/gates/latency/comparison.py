"""Two candidates timed in turns on a device: which is faster, by how much, and whether the difference is significant."""

import math
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from kernelwright_backends.core.model import Model

# docs/development/verification.md, Timing: what a gain must exceed, how far a baseline may drift, how much the clocks of a pair may differ.
_LEAST_GAIN = 0.02
_MOST_DRIFT = 0.03
_MOST_CLOCK = 0.02
# Where two processes' memory lies makes up to 2.3 % between one kernel and itself on an H200 (benchmarks/performance/timing.py), turn after turn.
_MOST_PLACED = 0.05
_LEAST_BLOCKS = 8
_RESAMPLES = 2000


class Comparison(Model):
    """How the second compares with the first; ratios are of latencies, second over first."""

    answer: Literal["faster", "slower", "no difference seen", "unstable"]
    ratio: float
    low: float
    high: float
    first_us: float
    second_us: float
    blocks: int
    dropped: int
    """blocks whose clocks differed"""
    drift: float
    """of the first one's latency, between the first and the second half"""


def compare(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]], *, seed: int = 0
) -> Comparison:
    """Judge the turns of two candidates (`samples_us`, `clock_mhz`), which took them in the order A B B A.

    A block is two turns of each; the ratio is the geometric mean of the blocks' ratios of medians, with a 95 % interval
    by resampling the blocks.

    Raises:
        ValueError: the sides have different numbers of turns, or too few.
    """
    if len(first) != len(second) or len(first) < 4:
        raise ValueError(
            f"the comparison has {len(first)} and {len(second)} timings; it needs equally many of each, at least "
            "four"
        )
    logs, baselines, dropped = [], [], 0
    for n in range(0, len(first) - 1, 2):
        ours, theirs = first[n : n + 2], second[n : n + 2]
        clocks = [float(turn["clock_mhz"]) for turn in (*ours, *theirs)]
        if min(clocks) > 0 and max(clocks) > (1 + _MOST_CLOCK) * min(clocks):
            dropped += 1
            continue
        a, b = _median(ours), _median(theirs)
        logs.append(math.log(b / a))
        baselines.append(a)
    first_us = _median(first)
    second_us = _median(second)
    if len(logs) < min(_LEAST_BLOCKS, len(first) // 2):
        ratio = second_us / first_us
        return Comparison(
            answer="unstable", ratio=ratio, low=0.0, high=math.inf, first_us=first_us, second_us=second_us,
            blocks=len(logs), dropped=dropped, drift=0.0,
        )  # fmt: skip
    low, high = _interval(logs, seed)
    ratio, half = math.exp(statistics.fmean(logs)), len(baselines) // 2
    drift = abs(statistics.median(baselines[half:]) / statistics.median(baselines[:half]) - 1)
    answer: Literal["faster", "slower", "no difference seen", "unstable"] = "no difference seen"
    if drift > _MOST_DRIFT:
        answer = "unstable"
    elif high < 1 and ratio < 1 - _LEAST_GAIN:
        answer = "faster"
    elif low > 1 and ratio > 1 + _LEAST_GAIN:
        answer = "slower"
    return Comparison(
        answer=answer, ratio=ratio, low=low, high=high, first_us=first_us, second_us=second_us,
        blocks=len(logs), dropped=dropped, drift=drift,
    )  # fmt: skip


def wants_another(seen: Comparison) -> bool:
    """Whether other processes must see it too: it was unstable, or so little that where their memory lies can make it."""
    return seen.answer == "unstable" or (
        seen.answer != "no difference seen" and abs(seen.ratio - 1) < _MOST_PLACED
    )


def settle(seen: Comparison, again: Comparison) -> Comparison:
    """What two comparisons in different processes say together: a difference only where both see it."""
    if seen.answer == "unstable":
        return again
    ratio = math.sqrt(seen.ratio * again.ratio)
    return again.model_copy(
        update={
            "answer": seen.answer if again.answer == seen.answer else "no difference seen",
            "ratio": ratio, "low": min(seen.low, again.low), "high": max(seen.high, again.high),
            "blocks": seen.blocks + again.blocks, "dropped": seen.dropped + again.dropped,
            "drift": max(seen.drift, again.drift),
        }
    )  # fmt: skip


def _median(turns: Sequence[Mapping[str, Any]]) -> float:
    return statistics.median(float(value) for turn in turns for value in turn["samples_us"])


def _interval(logs: Sequence[float], seed: int) -> tuple[float, float]:
    draw = random.Random(seed)
    means = sorted(statistics.fmean(draw.choices(logs, k=len(logs))) for _ in range(_RESAMPLES))
    return math.exp(means[int(0.025 * _RESAMPLES)]), math.exp(means[int(0.975 * _RESAMPLES) - 1])
