"""What the trace, or the clock, shows of the full size, for the hack gate's last moment."""

import asyncio

from kernelwright_backends.core.finding import STRAYS, Finding, Severity
from kernelwright_verifier.gates.correctness import CorrectnessChecker, Outcome, only_too_large
from kernelwright_verifier.gates.hack import TimeEvidence
from kernelwright_verifier.gates.latency.estimate import LatencyOutcome
from kernelwright_verifier.reference.client import Screen, TaskError
from kernelwright_verifier.task.full_size import needed_bytes, oddity
from kernelwright_verifier.task.task import TaskDescription


async def time_evidence(
    checker: CorrectnessChecker, screen: Screen | None, outcome: Outcome, latency: LatencyOutcome
) -> TimeEvidence:
    """What looks odd at full size is run there, if it can be."""
    context, estimate = checker.runs.context, latency.estimate
    try:
        full = await checker.runs.describe("full")
        if latency.error is not None:
            return await _ended(latency.error, full, checker)
        if estimate is None:
            return TimeEvidence()
        outputs, inputs = await asyncio.to_thread(needed_bytes, full, screen)
        evidence = TimeEvidence(
            latency_us=estimate.latency_us,
            measured=estimate.source == "measured",
            floor_us=context.toolchain.floor_us(outputs + inputs, context.target),
            moved_bytes=outputs + inputs,
            left_behind=latency.left_behind,
        )
        moved = estimate.detail.get("moved")
        if moved is None or _is_settled(checker):
            return evidence
        odd = oddity(moved, outcome.evidence.kernels, outputs, inputs)
        wrong: str | None = None
        larger = await checker.judge_full_size(full) if odd else None
        if larger is not None and larger.judged:
            wrong = next((f.message for f in larger.findings if f.severity is Severity.ERROR), "")
    except TaskError:
        return TimeEvidence()
    return evidence.model_copy(update={"odd_at_full_size": odd, "wrong_at_full_size": wrong})


async def _ended(error: Finding, full: TaskDescription, checker: CorrectnessChecker) -> TimeEvidence:
    """What the trace of the full size ended with, if it is wrong there as well, or where that cannot be run, and is sure."""
    if _is_settled(checker):
        return TimeEvidence()
    larger = await checker.judge_full_size(full, at_any_price=True)
    if larger is not None and larger.judged and not only_too_large(larger):
        # The trace's blocks lie elsewhere in memory: what one calls a host pointer is out of bounds for the other.
        alike = {error.code, *STRAYS} if error.code in STRAYS else {error.code}
        wrong = any(f.code in alike for f in larger.findings if f.severity is Severity.ERROR)
    else:
        wrong = bool(error.data.get("sure"))
    return TimeEvidence(error_at_full_size=error if wrong else None)


def _is_settled(checker: CorrectnessChecker) -> bool:
    """Whether the full size was run, or another one asked for."""
    runs = checker.runs
    seen = runs.seen_at_full_size or runs.description.size == "full"
    return seen or runs.context.options.shape is not None
