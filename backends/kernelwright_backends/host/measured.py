"""From the samples of a timed run to a latency: the median with its quartiles, and what was seen beside it."""

import statistics
from collections.abc import Mapping
from typing import Any

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.host.other_programs import Program
from kernelwright_backends.interfaces.cost import CostEstimate

# Work that goes on after the caller's stream is done counts: above both, the time of all streams is reported.
_ESCAPED_FACTOR = 1.5
_ESCAPED_US = 30.0
# docs/development/verification.md, Timing: a baseline that drifts by more is none; events tell half a microsecond.
_DRIFT = 0.03
_SPREAD = 0.2
_RESOLUTION_US = 0.5
_LEAST_HALF = 10


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
    findings = []
    if escaped:
        findings.append(
            finding(
                "COST_OUTSIDE_STREAM",
                f"work goes on after the caller's stream is done ({statistics.median(samples):.4g} us on the stream, {joined:.4g} us "
                "until the device is idle), so the longer time is the latency; let the stream wait for all of the work",
                "",
                data={"stream_us": statistics.median(samples), "device_us": joined},
            )
        )
    others = [Program.model_validate(one) for one in timing.get("others") or ()]
    busy = [other for other in others if other.busy_percent > 0]
    if busy:
        findings.append(_shared(busy, str(timing.get("device", "the GPU"))))
    spread = high - low
    drift = _drift([float(value) for value in timing["samples_us"]])
    if not escaped and (
        drift > max(_DRIFT * middle, _RESOLUTION_US) or spread > max(_SPREAD * middle, 2 * _RESOLUTION_US)
    ):
        findings.append(
            finding(
                "COST_UNSTABLE",
                f"the measured times vary too much for a latency: half of {len(samples)} calls took {low:.4g} to {high:.4g} us, and the "
                f"median drifted by {drift:.3g} us; verify again on an idle device",
                "",
                data={"quartile_us": low, "third_quartile_us": high, "drift_us": drift},
            )
        )
    detail = {
        name: value for name, value in timing.items() if name not in ("samples_us", "joined_us", "others")
    }
    detail |= {"samples": len(samples), "p05_us": _quantile(samples, 0.05), "p95_us": _quantile(samples, 0.95),
               "all_streams": escaped, "other_programs": None if timing.get("others") is None else len(others)}  # fmt: skip
    parts = {"empty kernel": float(timing["empty_us"]), "host": float(timing["host_us"])}
    return CostEstimate(
        source="measured",
        latency_us=middle,
        low_us=low,
        high_us=high,
        parts=parts,
        detail=detail,
        findings=tuple(findings),
    )


def _shared(busy: list[Program], device: str) -> Finding:
    named = ", ".join(map(str, busy))
    most = max(other.busy_percent for other in busy)
    return finding(
        "COST_SHARED",
        f"{named} computed on {device} while it was timed, on up to {most} % of its processors, so the latency may be too long; verify again on an idle GPU",
        "",
        data={"programs": [other.model_dump() for other in busy]},
    )


def _drift(samples: list[float]) -> float:
    """Between the medians of the first and of the second half, in the order in which they were taken."""
    if len(samples) < 2 * _LEAST_HALF:
        return 0.0
    half = len(samples) // 2
    return abs(statistics.median(samples[half:]) - statistics.median(samples[:half]))


def _quantile(ordered: list[float], share: float) -> float:
    """By linear interpolation between the two nearest."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
