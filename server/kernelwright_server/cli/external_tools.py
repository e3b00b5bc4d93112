"""--sanitizer and --profile: what compute-sanitizer and Nsight Compute require."""

from kernelwright_server.cli.errors import UsageError
from kernelwright_server.features.external_tools import checks_named, why_no_device, why_no_program
from kernelwright_verifier.task.plan import Plan


def sanitizer_tools(text: str | None) -> tuple[str, ...]:
    """The tools of --sanitizer.

    Raises:
        UsageError: one of them does not exist, or compute-sanitizer is not here.
    """
    if text is None:
        return ()
    try:
        tools = checks_named(text)
    except ValueError as error:
        raise UsageError(f"--sanitizer: {error}") from None
    needs_program("--sanitizer", "compute-sanitizer")
    return tools


def needs_program(option: str, name: str) -> None:
    """
    Raises:
        UsageError: the program that an option stands for is not here.
    """
    if (reason := why_no_program(name)) is not None:
        raise UsageError(f"{option}: {reason}")


def needs_device(option: str, *plans: Plan) -> None:
    """
    Raises:
        UsageError: no plan is verified on a GPU.
    """
    if (reason := why_no_device(*plans)) is not None:
        raise UsageError(
            f"{option}: {reason}; use --target cuda:CHIP@gpu ('kernelwright doctor' lists the devices)"
        )
