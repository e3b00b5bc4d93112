"""Is one candidate faster than another? Only if what is known says so."""

import math

from kernelwright_verifier.results.verdict import Verdict

MIN_GAIN = 0.02


def log_gain(before: Verdict, after: Verdict, min_gain: float = MIN_GAIN) -> float | None:
    """log(before's latency / after's), 0 where the difference is not significant, None where they cannot be
    compared.

    Measured latencies differ if their intervals do not meet and the gain or loss exceeds `min_gain`
    (docs/development/verification.md, Timing). Estimates of one chip's model err alike for both, so that their intervals say
    nothing about the difference: they differ if the gain or loss exceeds `min_gain`. A measurement and an
    estimate, or two chips, cannot be compared.
    """
    if not before.latency_us or not after.latency_us:
        return None
    if (before.latency_source, before.chip) != (after.latency_source, after.chip):
        return None
    gain = math.log(before.latency_us / after.latency_us)
    if abs(gain) <= math.log1p(min_gain):
        return 0.0
    if before.latency_source == "measured" and not _apart(before, after):
        return 0.0
    return gain


def _apart(before: Verdict, after: Verdict) -> bool:
    low, high = (before, after) if (before.latency_us or 0) < (after.latency_us or 0) else (after, before)
    return (
        low.latency_high_us is not None
        and high.latency_low_us is not None
        and low.latency_high_us < high.latency_low_us
    )
