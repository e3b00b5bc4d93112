"""The hack gate: is this an honest kernel? It looks at four moments (contracts.md section 3): the text, the linked object,
the run and the timing. A check is a function; each moment has its list."""

from kernelwright_backends.finding import Finding
from kernelwright_backends.toolchain import Symbols
from kernelwright_verifier.gates.hack.object import OBJECT_CHECKS
from kernelwright_verifier.gates.hack.run import RUN_CHECKS, RunEvidence
from kernelwright_verifier.gates.hack.text import TEXT_CHECKS
from kernelwright_verifier.plan import Plan

__all__ = ["RunEvidence", "look_at_object", "look_at_run", "look_at_text"]


def look_at_text(plan: Plan) -> tuple[Finding, ...]:
    """Before anything is compiled."""
    return _labelled("text", tuple(f for check in TEXT_CHECKS for f in check(plan)))


def look_at_object(plan: Plan, symbols: Symbols) -> tuple[Finding, ...]:
    """After linking."""
    return _labelled("object", tuple(f for check in OBJECT_CHECKS for f in check(plan, symbols)))


def look_at_run(plan: Plan, evidence: RunEvidence) -> tuple[Finding, ...]:
    """After the correctness runs."""
    return _labelled("run", tuple(f for check in RUN_CHECKS for f in check(plan, evidence)))


def _labelled(moment: str, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(f.model_copy(update={"data": {**f.data, "moment": moment}}) for f in findings)
