"""Verdicts on candidates that are refused without being run, and why one could not be had."""

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_memory.agent.assignment import Assignment
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict


def outside(assignment: Assignment, change: str) -> Verdict:
    """On a candidate that changes more than the entry's region."""
    message = f"the candidate changes code outside of the region of '{assignment.entry}': {change}"
    return refused(assignment, finding("HACK_REGION", message, str(assignment.path)))


def refused(assignment: Assignment, refusal: Finding) -> Verdict:
    """On a candidate that the first gate refuses."""
    first, *rest = GATES
    return Verdict(
        file=str(assignment.path),
        dialect=assignment.target.dialect,
        entry=assignment.entry,
        form=assignment.form,
        task=assignment.task_name,
        target=str(assignment.target),
        feasible=False,
        gates=(
            GateResult.of(first, (refusal,), 0.0),
            *(GateResult(gate=name, status="skipped") for name in rest),
        ),
    )


def error_of(verdict: Verdict) -> str:
    """Why a verdict could not be had, from the gate that ran into an error."""
    for gate in verdict.gates:
        if gate.status == "error" or any(f.code == "SIZE_TOO_LARGE" for f in gate.findings):
            messages = [f.message for f in gate.findings]
            return messages[0] if messages else f"the {gate.gate} gate could not run"
    return "no gate could run"
