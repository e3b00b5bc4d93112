"""Says of a correct candidate that it is so by the precision of the reference alone."""

from kernelwright_backends.core.finding import Finding
from kernelwright_verifier.gates.correctness.size_findings import at_entry
from kernelwright_verifier.gates.correctness.trials import Outcome
from kernelwright_verifier.task.plan import Plan


def below_strict(plan: Plan, outcome: Outcome) -> tuple[Finding, ...]:
    """MISMATCH_PRECISION for the output that is furthest off; nothing where all are right by float32 accuracy, or one is wrong."""
    if not outcome.passed:
        return ()
    below = [o for trial in outcome.trials for o in trial.outputs if o.level == "as_reference"]
    if not below:
        return ()
    worst = max(below, key=lambda o: o.rms_error / o.allowed_rms_error if o.allowed_rms_error else 0.0)
    message = (
        f"{worst.name} is correct as PyTorch in TF32 is (rms error {worst.rms_error:.3g} of {worst.allowed_rms_error:.3g} "
        "allowed), but not to float32 accuracy. Set precision to strict to refuse it"
    )
    data = {
        "output": worst.name,
        "rms_error": worst.rms_error,
        "allowed_rms_error": worst.allowed_rms_error,
        "max_error": worst.max_error,
    }
    return (at_entry(plan, "MISMATCH_PRECISION", message, data),)
