"""From the samples of a timed run to a latency: the median with its quartiles, and what was seen beside it."""

import statistics
from collections.abc import Mapping
from typing import Any

from kernelwright_backends.toolchain import CostEstimate

# Work that goes on after the caller's stream is done counts: above both, the time of all streams is told.
_ESCAPED_FACTOR = 1.5
_ESCAPED_US = 30.0


def latency_of(timing: Mapping[str, Any]) -> CostEstimate:
    """The measured latency of one call at full size, L2 cold."""
    samples = sorted(float(value) for value in timing.get("samples_us", ()))
    if not samples:
        return CostEstimate(source="measured", latency_us=None)
    joined = statistics.median(timing["joined_us"]) if timing.get("joined_us") else 0.0
    low, middle, high = _quantile(samples, 0.25), statistics.median(samples), _quantile(samples, 0.75)
    escaped = joined > _ESCAPED_FACTOR * middle + _ESCAPED_US and joined > middle + 3 * float(
        timing["host_us"]
    )
    if escaped:
        low, middle, high = min(timing["joined_us"]), joined, max(timing["joined_us"])
    detail = {name: value for name, value in timing.items() if name not in ("samples_us", "joined_us")}
    detail |= {"samples": len(samples), "p05_us": _quantile(samples, 0.05), "p95_us": _quantile(samples, 0.95),
               "all_streams": escaped}  # fmt: skip
    parts = {"empty kernel": float(timing["empty_us"]), "host": float(timing["host_us"])}
    return CostEstimate(
        source="measured", latency_us=middle, low_us=low, high_us=high, parts=parts, detail=detail
    )


def _quantile(ordered: list[float], share: float) -> float:
    """By linear interpolation between the two nearest."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
