"""What compute-sanitizer and Nsight Compute require."""

from kernelwright_verifier.task.plan import Plan


def why_no_program(name: str) -> str | None:
    """Why `compute-sanitizer` or `ncu` cannot be run; None where it can."""
    from kernelwright_backends.cuda.gpu.external_tools import find
    from kernelwright_backends.interfaces.toolchain import ToolUnavailable

    try:
        find(name)
    except ToolUnavailable as missing:
        return str(missing)
    return None


def why_no_device(*plans: Plan) -> str | None:
    """What only a GPU has is not silently left out where none is asked; None where one is."""
    asked = [plan.target for first in plans for plan in (first, *first.on_further_targets())]
    if any(target.where == "gpu" for target in asked):
        return None
    named = ", ".join(dict.fromkeys(map(str, asked)))
    return f"the tool needs a GPU, but {plans[0].candidate.path.name} is verified on {named}"
