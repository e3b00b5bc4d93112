"""Two candidates of one task timed in alternation on a device (docs/development/verification.md, Timing): what Refine calls faster must be faster there."""

from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.interfaces.capabilities import TimesInTurns
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_backends.interfaces.run import Call
from kernelwright_backends.interfaces.toolchain import Toolchain
from kernelwright_verifier.binding import BindingFailed, bind
from kernelwright_verifier.gates.compile import build as compile_gate
from kernelwright_verifier.gates.latency.comparison import Comparison, compare, settle, wants_another
from kernelwright_verifier.gates.latency.estimate import full_size_call
from kernelwright_verifier.reference.client import Reference, TaskError
from kernelwright_verifier.task.expression import ExpressionError
from kernelwright_verifier.task.plan import Plan


async def time_in_turns(
    first: Plan,
    second: Plan,
    toolchain: Toolchain,
    confinement: Confinement,
    reference: Reference,
) -> Comparison | None:
    """How the second compares with the first at the task's full size; None where they cannot be timed so.

    Raises:
        ConfinementError: nothing here can confine them.
    """
    if not isinstance(toolchain, TimesInTurns):
        return None
    target: Target = first.target
    try:
        one, other = [await _built(plan, toolchain, confinement, reference) for plan in (first, second)]
    except (TaskError, BindingFailed, ExpressionError):
        return None
    if one is None or other is None:
        return None
    seen = await _compared(one, other, toolchain, target, confinement)
    if seen is None or not wants_another(seen):
        return seen
    again = await _compared(one, other, toolchain, target, confinement)
    return settle(seen, again) if again is not None else None


async def _compared(
    one: tuple[BuildResult, Call],
    other: tuple[BuildResult, Call],
    toolchain: TimesInTurns,
    target: Target,
    confinement: Confinement,
) -> Comparison | None:
    """What a pair of processes says; None where one of them did not end well."""
    results = await toolchain.run_in_turns(one[0], other[0], (one[1], other[1]), target, confinement)
    turns = [result.counters.get("timing", {}).get("turns") for result in results]
    if any(result.status != "ok" for result in results) or not all(turns):
        return None
    return compare(turns[0], turns[1])


async def _built(
    plan: Plan, toolchain: Toolchain, confinement: Confinement, reference: Reference
) -> tuple[BuildResult, Call] | None:
    if plan.task is None or plan.entry is None:
        return None
    full = await reference.describe(plan.task, "full")
    binding = bind(plan.entry, plan.directive, full, str(plan.candidate.path), plan.entry_name)
    built, _, _ = await compile_gate.build(plan, binding.call, toolchain, plan.target, confinement)
    return (built, full_size_call(binding, full)) if built.object is not None else None
