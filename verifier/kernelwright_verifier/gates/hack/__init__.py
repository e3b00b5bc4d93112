"""The hack gate: do the kernels of the file do the computing? It looks at four moments: the text, the linked object,
the run and the timing. A check is a function; each moment has its list."""

from itertools import islice

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.interfaces.build import Symbols
from kernelwright_verifier.gates.hack.object import OBJECT_CHECKS
from kernelwright_verifier.gates.hack.own import as_warnings, in_reached_object, in_reached_text, is_own
from kernelwright_verifier.gates.hack.run import RUN_CHECKS, RunEvidence
from kernelwright_verifier.gates.hack.text import TEXT_CHECKS, unread_texts
from kernelwright_verifier.gates.hack.timing import TIME_CHECKS, TimeEvidence
from kernelwright_verifier.task.plan import Plan

__all__ = [
    "RunEvidence",
    "TimeEvidence",
    "as_warnings",
    "labelled",
    "look_at_object",
    "look_at_run",
    "look_at_text",
    "look_at_time",
    "without_consequences",
]


# Of one check; more of the same says nothing more, and a text may be made of nothing else.
_MOST = 64


def look_at_text(plan: Plan) -> tuple[Finding, ...]:
    """Before anything is compiled. What is not read is not looked through either."""
    checks = (unread_texts,) if plan.index.unread else TEXT_CHECKS
    found = tuple(f for check in checks for f in islice(check(plan), _MOST))
    return labelled("text", in_reached_text(plan, found) if is_own(plan) else found)


def look_at_object(plan: Plan, symbols: Symbols) -> tuple[Finding, ...]:
    """After linking."""
    found = tuple(f for check in OBJECT_CHECKS for f in check(plan, symbols))
    return labelled("object", tuple(in_reached_object(plan, found)) if is_own(plan) else found)


def look_at_run(plan: Plan, evidence: RunEvidence) -> tuple[Finding, ...]:
    """After the correctness runs."""
    return labelled("run", tuple(f for check in RUN_CHECKS for f in check(plan, evidence)))


# What follows from another finding is not reported beside it: whose work the host does reads no inputs either.
_FOLLOWS = {
    "HACK_HOST": {"HACK_NO_KERNEL"},
    "HACK_UNREAD": {"HACK_NO_KERNEL", "HACK_HOST", "HACK_CACHED"},
    "HACK_CACHED": {"HACK_ALIAS", "HACK_INPUT_CHANGED"},
}


def without_consequences(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings of a run without those that only follow from others."""
    codes = {f.code for f in findings}
    return tuple(f for f in findings if not _FOLLOWS.get(f.code, set()) & codes)


def look_at_time(plan: Plan, evidence: TimeEvidence) -> tuple[Finding, ...]:
    """After the latency: what the full size and the clock show."""
    return labelled("time", tuple(f for check in TIME_CHECKS for f in check(plan, evidence)))


# The check (docs/development/checks.md) that a code comes from, where the finding itself does not say it.
_CHECK_OF = {
    "HACK_SYMBOL": "A1", "HACK_LIBRARY": "A1", "HACK_EXPORT": "A1", "HACK_OPERATOR": "operators", "HACK_NO_KERNEL": "A2",
    "HACK_EMPTY_KERNEL": "A2", "HACK_INITIALISER": "A11", "HACK_ASSEMBLY": "A12", "HACK_INCLUDE": "A12",
    "HACK_UNREADABLE": "A12",
    "HACK_ALIAS": "inputs", "HACK_INPUT_CHANGED": "inputs",
}  # fmt: skip


def labelled(moment: str, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings with the moment and the check that they come from."""
    return tuple(
        f.model_copy(update={"data": {"check": _CHECK_OF.get(f.code), **f.data, "moment": moment}})
        for f in findings
    )
