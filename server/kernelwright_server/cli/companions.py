"""--sanitizer and --profile: what must be here for NVIDIA's checker and profiler to be asked."""

from kernelwright_server.cli.errors import UsageError
from kernelwright_verifier.plan import Plan


def sanitizer_tools(text: str | None) -> tuple[str, ...]:
    """The tools of --sanitizer.

    Raises:
        UsageError: one of them does not exist, or compute-sanitizer is not here.
    """
    if text is None:
        return ()
    from kernelwright_backends.cuda.gpu.sanitizing import chosen_tools

    try:
        tools = chosen_tools(text)
    except ValueError as error:
        raise UsageError(f"--sanitizer: {error}") from None
    needs_program("--sanitizer", "compute-sanitizer")
    return tools


def needs_program(option: str, name: str) -> None:
    """
    Raises:
        UsageError: the program that an option stands for is not here.
    """
    from kernelwright_backends.cuda.gpu.companions import find
    from kernelwright_backends.toolchain import ToolUnavailable

    try:
        find(name)
    except ToolUnavailable as missing:
        raise UsageError(f"{option}: {missing}") from None


def needs_device(option: str, *plans: Plan) -> None:
    """What only a GPU has is not silently left out where none is asked.

    Raises:
        UsageError: no plan is verified on a GPU.
    """
    asked = [plan.target for first in plans for plan in (first, *first.on_further_targets())]
    if any(target.where == "gpu" for target in asked):
        return
    named = ", ".join(dict.fromkeys(map(str, asked)))
    raise UsageError(
        f"{option}: {plans[0].candidate.name} is verified on {named}, and the tool watches a GPU: --target cuda:CHIP@gpu "
        "(kernelwright doctor says what is here)"
    )
