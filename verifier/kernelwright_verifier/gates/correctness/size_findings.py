"""What is said of a kernel that is right at one size and not at another, at its entry."""

from typing import Any

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_verifier.gates.correctness.trials import Outcome
from kernelwright_verifier.pipeline.context import VerificationContext
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.sizes import format_sizes
from kernelwright_verifier.task.task import TaskDescription


def specialised(plan: Plan, reduced: TaskDescription, held: TaskDescription, outcome: Outcome) -> Finding:
    first = next((f for f in outcome.findings if f.severity is Severity.ERROR), None)
    first_message = first.message if first is not None else ""
    return at_entry(
        plan,
        "SHAPE_SPECIALISED",
        f"the kernel is correct at {format_sizes(held.sizes) or 'its own size'} and wrong at "
        f"{format_sizes(reduced.sizes)}, so it may hold a size as a number: {first_message}",
        {"code": first.code if first is not None else "", "sizes": scalar_sizes(reduced)},
    )


def too_large(context: VerificationContext, what: str, data: dict[str, Any] | None = None) -> Finding:
    return at_entry(
        context.plan,
        "SIZE_TOO_LARGE",
        f"{what}, which cannot run here within {context.limits.time_s:g} s. Raise [limits] time_s and pass "
        '--size full, or set sizes it supports as SMALL in the task or size="..." in the directive',
        data,
    )


def at_entry(plan: Plan, code: str, message: str, data: dict[str, Any] | None = None) -> Finding:
    """At the name of the entry."""
    at = [plan.entry.name_range] if plan.entry else []
    return finding(code, message, str(plan.candidate.path), *at, data=data or {})


def scalar_sizes(description: TaskDescription) -> dict[str, int]:
    return {name: value for name, value in description.sizes.items() if isinstance(value, int)}
