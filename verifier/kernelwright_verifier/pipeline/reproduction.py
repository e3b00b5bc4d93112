"""The command that reproduces a verdict."""

import shlex
from typing import Any

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.sizes import format_sizes
from kernelwright_verifier.task.task import TaskDescription


def reproduce(
    plan: Plan,
    options: VerifyOptions,
    seed: int,
    description: TaskDescription | None,
    shape: dict[str, Any] | None = None,
) -> str:
    """
    Args:
        shape: constants that a stage chose by itself.
    """
    words = ["kernelwright", "check", plan.candidate.name]
    if plan.entry_name:
        words += ["--entry", plan.entry_name]
    words += ["--target", str(plan.target), "--seed", str(seed)]
    if plan.configuration.check.precision != "strict":
        words += ["--precision", plan.configuration.check.precision]
    if options.shape or shape:
        words += ["--shape", format_sizes({**(options.shape or {}), **(shape or {})})]
    elif description is not None and description.size == "full":
        words += ["--size", "full"]
    return shlex.join(words)
