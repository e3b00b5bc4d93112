"""A verdict in a few words, for lenses and titles. Every figure says what it is, every ratio its base."""

from kernelwright_server.kernel_document import KernelDocument
from kernelwright_verifier.plan import Plan
from kernelwright_verifier.verdict import GATES, Verdict


def status_line(kernel: KernelDocument, plan: Plan | None, *, trusted: bool, running: bool) -> str:
    """What the verdict lens says."""
    if plan is None:
        return "no entry reaches it"
    if not trusted:
        return "not verified: untrusted"
    outcome = kernel.outcome(plan)
    if outcome is not None and outcome.verdict is not None:
        return verdict_line(outcome.verdict)
    if running:
        gates = outcome.gates if outcome is not None else {}
        current = next((name for name in GATES if name not in gates), GATES[-1])
        return f"verifying: {current}"
    return "no task" if plan.task is None else "not verified"


def verdict_line(verdict: Verdict) -> str:
    """`correct · ~12.3 µs (estimate) · 1.8x of PyTorch's operators (estimate)`."""
    if verdict.feasible is None:
        if any(gate.status == "error" for gate in verdict.gates):
            return "could not be judged"
        compiled = verdict.gate("compile").status == "passed"
        return "compiles · no task" if compiled else "not judged"
    if not verdict.feasible:
        failed = next((gate.gate for gate in verdict.gates if gate.status == "failed"), "correctness")
        return f"{failed} failed"
    parts = ["correct"]
    if verdict.latency_us is not None:
        parts.append(latency(verdict.latency_us, verdict.latency_source))
        if ratio := reference_ratio(verdict):
            parts.append(ratio)
    return " · ".join(parts)


def latency(value_us: float, source: str | None) -> str:
    """`~12.3 µs (estimate)`, `12.3 µs`."""
    text = f"{value_us / 1000:.3g} ms" if value_us >= 1000 else f"{value_us:.3g} µs"
    return f"~{text} (estimate)" if source == "estimated" else text


def reference_ratio(verdict: Verdict) -> str:
    """`1.80x of eager PyTorch`; empty where there is nothing to compare with."""
    if not verdict.reference_latency_us or not verdict.latency_us:
        return ""
    ratio = verdict.reference_latency_us / verdict.latency_us
    base = "PyTorch's operators (estimate)" if verdict.latency_source == "estimated" else "eager PyTorch"
    return f"{ratio:.2f}x of {base}"
