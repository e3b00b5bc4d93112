"""Compares the verdicts on one candidate from two targets."""

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_verifier.results.allowed import without_allowed
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict
from kernelwright_verifier.task.plan import Plan

_SHOWN_CODES = 3


def compared(first: Verdict, other: Verdict, plan: Plan) -> Verdict:
    """`other`, with MISMATCH_TARGETS where it is right on one of the two targets and wrong on the other.

    What the first target could not execute (UNSUPPORTED_*), or either could not judge, is no disagreement.
    """
    if {first.feasible, other.feasible} != {True, False} or unsupported(first) or unsupported(other):
        return other
    at = (plan.entry.name_range,) if plan.entry is not None else ()
    commands = tuple(filter(None, (first.reproduce, other.reproduce)))
    note = finding(
        "MISMATCH_TARGETS",
        f"{_said(first)}, but {_said(other)}{_why(first, other)}; reproduce each: {'; '.join(commands)}",
        str(plan.candidate.path),
        *at,
        data={
            "targets": [
                {
                    "target": verdict.target,
                    "feasible": verdict.feasible,
                    "codes": _codes(verdict),
                    "reproduce": verdict.reproduce,
                }
                for verdict in (first, other)
            ]
        },
    )
    return _with(other, note, plan)


def worth_elsewhere(verdict: Verdict) -> bool:
    """Whether another target could say anything else: not of what the hack gate refused, or of what is no target's matter."""
    if verdict.gate("hack").status == "failed":
        return False
    errors = (f for f in verdict.findings if f.severity is Severity.ERROR)
    return not any(f.code.startswith(("BIND_", "TASK_", "SIZE_")) for f in errors)


def unsupported(verdict: Verdict) -> bool:
    """Refused for nothing but what its target does not execute: another target may judge the candidate."""
    codes = _codes(verdict)
    return bool(codes) and all(code.startswith("UNSUPPORTED_") for code in codes)


def combined(on_cpu: Verdict, on_device: Verdict) -> Verdict:
    """One verdict of both, for who must compare candidates by one: feasible where both are, with the measured latency, and with
    what the checks and the trace of the CPU target saw beside it.

    Where one of them is not feasible it is that one, and says where it was obtained.
    """
    if not on_cpu.feasible and not unsupported(on_cpu):
        return on_cpu
    if not on_device.feasible:
        return on_device
    gates = tuple(_joined(on_cpu.gate(name), on_device.gate(name)) for name in GATES)
    return on_device.model_copy(
        update={
            "gates": gates,
            "bottleneck": on_device.bottleneck or on_cpu.bottleneck,
            "accesses": on_device.accesses or on_cpu.accesses,
            "profiles": on_device.profiles or on_cpu.profiles,
            "precision": "as_reference"
            if "as_reference" in (on_cpu.precision, on_device.precision)
            else on_device.precision,
        }
    )


def _joined(on_cpu: GateResult, on_device: GateResult) -> GateResult:
    kept = (f for f in on_cpu.findings if f.severity is not Severity.ERROR and f.code != "COST_ESTIMATED")
    added = tuple(f for f in kept if f not in on_device.findings)
    return on_device.model_copy(
        update={
            "findings": (*on_device.findings, *added),
            "elapsed_s": on_cpu.elapsed_s + on_device.elapsed_s,
        }
    )


def _with(verdict: Verdict, note: Finding, plan: Plan) -> Verdict:
    """At the gate that decided: the one that failed, else correctness."""
    decided = next((gate.gate for gate in verdict.gates if gate.status == "failed"), "correctness")
    gates = tuple(
        without_allowed(gate.model_copy(update={"findings": (*gate.findings, note)}), plan)
        if gate.gate == decided
        else gate
        for gate in verdict.gates
    )
    return verdict.model_copy(update={"gates": gates})


def _codes(verdict: Verdict) -> list[str]:
    return list(dict.fromkeys(f.code for f in verdict.findings if f.severity is Severity.ERROR))


def _said(verdict: Verdict) -> str:
    if verdict.feasible:
        return f"the kernel is correct on {verdict.target}"
    first = next(f for f in verdict.findings if f.severity is Severity.ERROR)
    codes = _codes(verdict)
    shown = ", ".join(codes[:_SHOWN_CODES]) + (", ..." if len(codes) > _SHOWN_CODES else "")
    return f"{verdict.target} refuses it ({shown} at line {first.line})"


def _why(first: Verdict, other: Verdict) -> str:
    """The usual cause, if the codes reveal it."""
    on_cpu = next((v for v in (first, other) if (v.target or "").endswith("@cpu") and not v.feasible), None)
    device = next((v for v in (first, other) if not (v.target or "").endswith("@cpu") and v.feasible), None)
    seen = ("RACE_", "INIT_", "SYNC_", "MEM_", "UNINIT_", "EVENT_", "GM_")
    if on_cpu is not None and device is not None and all(c.startswith(seen) for c in _codes(on_cpu)):
        return ". A device shows such a defect only by chance; the CPU target checks every access"
    return ""
