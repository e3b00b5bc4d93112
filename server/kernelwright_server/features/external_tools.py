"""What compute-sanitizer and Nsight Compute require."""

from kernelwright_backends.core.registry import supports
from kernelwright_backends.interfaces.capabilities import ToolUnavailable
from kernelwright_backends.interfaces.external_tools import ExternalTools
from kernelwright_verifier.task.plan import Plan


def why_no_program(name: str) -> str | None:
    """Why `compute-sanitizer` or `ncu` cannot be run; None where it can."""
    try:
        _tools().find(name)
    except ToolUnavailable as missing:
        return str(missing)
    return None


def checks_named(text: str) -> tuple[str, ...]:
    """The checks of compute-sanitizer that a user names, `all` for every one.

    Raises:
        ValueError: a check of that name does not exist.
    """
    return _tools().chosen_tools(text)


def _tools() -> ExternalTools:
    """Of the one vendor that has such programs."""
    return next(tools for support in supports() if (tools := support.external_tools) is not None)


def why_no_device(*plans: Plan) -> str | None:
    """What only a GPU has is not silently left out where none is asked; None where one is."""
    asked = [plan.target for first in plans for plan in (first, *first.on_further_targets())]
    if any(target.where == "gpu" for target in asked):
        return None
    named = ", ".join(dict.fromkeys(map(str, asked)))
    return f"the tool needs a GPU, but {plans[0].candidate.path.name} is verified on {named}"
