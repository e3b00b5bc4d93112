"""The candidate at other shapes: those that the task declares, and on request others."""

from typing import Any

from kernelwright_backends.core.finding import Severity
from kernelwright_verifier.gates.correctness.outcomes import as_warnings, is_nought_but_rounding, joined
from kernelwright_verifier.gates.correctness.shapes import other_shapes
from kernelwright_verifier.gates.correctness.size_findings import at_entry, scalar_sizes
from kernelwright_verifier.gates.correctness.stages import OF_OTHER_SHAPES
from kernelwright_verifier.gates.correctness.trial_runs import TrialRuns
from kernelwright_verifier.gates.correctness.trials import Numbered, Outcome
from kernelwright_verifier.gates.hack import RunEvidence
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.results.evidence import Stage
from kernelwright_verifier.task.sizes import format_sizes


async def judge_shapes(runs: TrialRuns, outcome: Outcome) -> Outcome:
    """The shapes that the task declares, each an error if it fails; on request others, which are evidence alone."""
    held = runs.description
    declared = [dict(shape) for shape in (*held.shapes, *runs.task.shapes)]
    own = held.sizes
    for shape in (s for s in declared if any(own.get(name) != value for name, value in s.items())):
        tried = await _try_shape(runs, "shapes", shape)
        if tried is None:
            continue
        outcome = joined(outcome, tried)
        if not tried.passed:
            return outcome
    if not runs.reaches("undeclared"):
        return outcome
    for shape in other_shapes(held.sizes, declared):
        tried = await _try_shape(runs, "undeclared", shape)
        if tried is None:
            continue
        failed = next((f for f in tried.findings if f.severity is Severity.ERROR), None)
        if failed is not None and is_nought_but_rounding(tried, outcome):
            continue
        if failed is not None:
            note = at_entry(
                runs.plan,
                "SHAPE_SPECIALISED",
                f"the kernel is correct at {_own_shapes(runs)} and wrong at {format_sizes(shape)}, which the task does "
                f"not declare: {failed.message}",
                {"shape": shape, "code": failed.code},
            )
            kept = tried.model_copy(update={"findings": (note,), "evidence": outcome.evidence})
            return joined(outcome, kept)
        outcome = joined(outcome, tried)
    return outcome


async def _try_shape(runs: TrialRuns, stage: Stage, shape: dict[str, Any]) -> Outcome | None:
    """One trial at another shape; None where there is none, and the evidence says why."""
    asked = {**scalar_sizes(runs.description), **shape}
    try:
        description = await runs.describe(asked)
        if not runs.affordable(description, 1):
            runs.not_tried.append(f"{format_sizes(shape)} is too large to run within the limit")
            return None
        trial = await runs.source.trial(runs.task, description, OF_OTHER_SHAPES)
    except TaskError as error:
        runs.not_tried.append(f"{format_sizes(shape)}: {error.findings[0].message}")
        if stage == "undeclared" or all(f.code.startswith("ENV_") for f in error.findings):
            return None
        # The task itself does not work at a shape that it declares: no fault of the candidate.
        return Outcome(findings=as_warnings(error.findings), evidence=RunEvidence())
    numbered = Numbered(OF_OTHER_SHAPES, trial, stage, dict(description.sizes))
    return await runs.run(description, (numbered,), asked)


def _own_shapes(runs: TrialRuns) -> str:
    """What was run, in words: of a size that was not, nothing is known."""
    if runs.seen_at_full_size or runs.description.size != "reduced":
        return "the task's own shapes"
    return format_sizes(runs.description.sizes) or "the task's own shapes"
