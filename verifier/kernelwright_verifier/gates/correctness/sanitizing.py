"""The checking tools of a device's vendor, beside our own checks: only where the user asks for them."""

import asyncio

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.interfaces.toolchain import (
    BuildResult,
    Confinement,
    ConfinementError,
    Limits,
    RunRequest,
    Sanitizes,
    Toolchain,
    ToolUnavailable,
)
from kernelwright_backends.storage.folders import working_folder
from kernelwright_verifier.binding import Binding
from kernelwright_verifier.gates.correctness.layout import Layout
from kernelwright_verifier.gates.correctness.trials import Numbered
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.task import TaskDescription


async def sanitized_trial(
    plan: Plan,
    binding: Binding,
    description: TaskDescription,
    trial: Numbered,
    built: BuildResult,
    toolchain: Toolchain,
    confinement: Confinement,
    limits: Limits,
    tools: tuple[str, ...],
    told: tuple[Finding, ...],
) -> tuple[Finding, ...]:
    """See `sanitized`, of one call of the entry."""
    with working_folder("run") as folder:
        mapping = folder / "tensors.bin"
        layout = Layout(binding, description)
        call = layout.add(trial.trial, schedule_seed=0).call
        await asyncio.to_thread(layout.write, mapping)
        request = RunRequest(mapping=mapping, calls=(call,), limits=limits)
        return await sanitized(plan, built, toolchain, confinement, request, tools, told)


async def sanitized(
    plan: Plan,
    built: BuildResult,
    toolchain: Toolchain,
    confinement: Confinement,
    request: RunRequest,
    tools: tuple[str, ...],
    told: tuple[Finding, ...],
) -> tuple[Finding, ...]:
    """What the tools add to the findings that were told before; why they could not be run, where they could not.

    A target without such tools adds nothing, and of a kernel that does not end they know nothing.
    """
    if not isinstance(toolchain, Sanitizes) or any(f.code == "LAUNCH_TIME" for f in told):
        return ()
    try:
        result = await toolchain.sanitize(built, request, plan.target, confinement, tools)
    except (ToolUnavailable, ConfinementError) as error:
        return (finding("ENV_TOOL", f"compute-sanitizer did not run: {error}", str(plan.candidate.path)),)
    known = {(f.code, f.path, f.line) for f in told}
    return tuple(f for f in result.findings if (f.code, f.path, f.line) not in known)
