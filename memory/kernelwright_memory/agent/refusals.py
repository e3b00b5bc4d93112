"""Verdicts on candidates that are refused before they are verified."""

from collections.abc import Sequence

from kernelwright_backends.core.finding import Finding, Range, at_most, finding
from kernelwright_memory.agent.assignment import Assignment
from kernelwright_verifier.candidate.region_rules import Offence
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict

_MOST_OFFENCES = 16


def outside(assignment: Assignment, changes: Sequence[Offence]) -> Verdict:
    """Of a candidate that changes more than it may: a finding for each thing, at its line."""
    findings = []
    for change in changes:
        at = Range(line=change.line, column=1, end_line=change.line, end_column=1)
        said = f"outside of the region of '{assignment.entry}', {change.message}"
        findings.append(finding("HACK_REGION", said, str(assignment.path), at))
    return refused(assignment, *at_most(tuple(findings), _MOST_OFFENCES, "outside of the region"))


def refused(assignment: Assignment, *refusals: Finding) -> Verdict:
    """Of a candidate that fails the hack gate for these reasons."""
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
            GateResult.of(first, refusals, 0.0),
            *(GateResult(gate=name, status="skipped") for name in rest),
        ),
    )
