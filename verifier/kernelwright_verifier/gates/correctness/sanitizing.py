"""The checking tools of a device's vendor, beside our own checks: only where the user asks for them."""

import asyncio
from collections.abc import Sequence

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.interfaces.capabilities import Sanitizes, ToolUnavailable
from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_backends.interfaces.run import RunRequest
from kernelwright_backends.storage.folders import working_folder
from kernelwright_verifier.gates.correctness.layout import Layout
from kernelwright_verifier.gates.correctness.trials import Numbered
from kernelwright_verifier.pipeline.context import BuiltEntry, VerificationContext
from kernelwright_verifier.task.task import TaskDescription


async def sanitized_trial(
    context: VerificationContext,
    entry: BuiltEntry,
    description: TaskDescription,
    trials: Sequence[Numbered],
    reported: tuple[Finding, ...],
) -> tuple[Finding, ...]:
    """See `sanitized`, of one call of the entry: the trial that went wrong, or else the first.

    Args:
        description: of the size at which the trials were drawn.
    """
    failed = next((f.data["trial"] for f in reported if isinstance(f.data.get("trial"), int)), 0)
    trial = next((t for t in trials if t.number == failed), trials[0])
    with working_folder("run") as folder:
        mapping = folder / "tensors.bin"
        layout = Layout(entry.binding, description)
        call = layout.add(trial.trial, schedule_seed=0).call
        await asyncio.to_thread(layout.write, mapping)
        request = RunRequest(mapping=mapping, calls=(call,), limits=context.limits)
        return await sanitized(context, entry.built, request, reported)


async def sanitized(
    context: VerificationContext, built: BuildResult, request: RunRequest, reported: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    """What the tools that the user asked for add to the findings that are reported; why they could not be run, where they could
    not.

    A target without such tools adds nothing, and of a kernel that does not end they know nothing.
    """
    toolchain = context.toolchain
    if not isinstance(toolchain, Sanitizes) or any(f.code == "LAUNCH_TIME" for f in reported):
        return ()
    try:
        result = await toolchain.sanitize(
            built, request, context.target, context.confinement, context.options.sanitizer
        )
    except (ToolUnavailable, ConfinementError) as error:
        return (finding("ENV_TOOL", f"compute-sanitizer did not run: {error}", context.path),)
    known = {(f.code, f.path, f.line) for f in reported}
    return tuple(f for f in result.findings if (f.code, f.path, f.line) not in known)
