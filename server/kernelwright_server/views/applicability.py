"""Whether drafting, refining and verifying apply to an entry, and the reason where they do not."""

from kernelwright_server.reports.outcome import why_not_judged
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_verifier.task.plan import Plan

UNTRUSTED = "the workspace is not trusted"


def why_not_verify(kernel: KernelDocument, plan: Plan | None, *, trusted: bool) -> str | None:
    if not trusted:
        return UNTRUSTED
    return None if plan is not None else "no entry of this file calls it"


def why_not_draft(kernel: KernelDocument, plan: Plan | None, *, trusted: bool) -> str | None:
    """None on stubs and on what is not feasible."""
    reason = why_not_verify(kernel, plan, trusted=trusted) or _why_no_task(plan)
    if reason is not None or plan is None or plan.stub:
        return reason
    outcome = kernel.outcome(plan)
    if outcome is None or outcome.verdict is None:
        return "it is not verified yet; save the file or choose Verify now"
    if outcome.verdict.feasible is None:
        return f"it is not judged: {why_not_judged(outcome.verdict)}"
    return "it is correct already; use Refine to make it faster" if outcome.verdict.feasible else None


def why_not_refine(kernel: KernelDocument, plan: Plan | None, *, trusted: bool) -> str | None:
    """None on what is feasible."""
    reason = why_not_verify(kernel, plan, trusted=trusted) or _why_no_task(plan)
    if reason is not None or plan is None:
        return reason
    if plan.stub:
        return "it is a stub; draft it first"
    outcome = kernel.outcome(plan)
    if outcome is None or outcome.verdict is None:
        return "it is not verified yet; save the file or choose Verify now"
    if not outcome.verdict.feasible:
        failed = next(
            (g.gate for g in outcome.verdict.gates if g.status in ("failed", "error")), "correctness"
        )
        return f"it has not passed the {failed} gate"
    return None


def _why_no_task(plan: Plan | None) -> str | None:
    if plan is not None and plan.task is None:
        return "it has no task"
    return None
