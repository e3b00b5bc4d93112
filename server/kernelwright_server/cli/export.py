"""`kernelwright export FILE`: the kernel as a KernelBench solution, a Python file with the class `ModelNew`. Nothing is built or run
but the task, which says what is passed."""

import argparse
import asyncio
from pathlib import Path

from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_backends.untrusted.placing import put
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.cli.terminal import print_exactly
from kernelwright_server.features.assignment import NotAssignable, choose_plan
from kernelwright_server.features.kernelbench.exporting import ExportError, solution
from kernelwright_verifier.binding import BindingFailed, bind
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.verifier import Verifier, read_candidate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a CUDA file with a task")
    parser.add_argument(
        "--entry", metavar="NAME", help="the function to call (default: the directive's entry)"
    )
    parser.add_argument(
        "--output", "-o", type=Path, metavar="OUT.py", help="write it there (default: standard output)"
    )
    parser.add_argument("--force", action="store_true", help="replace OUT.py if it exists")
    parser.add_argument(
        "--no-sandbox", action="store_true", help="run the task without a sandbox: only for code you trust"
    )
    add_trust(parser)


def run(arguments: argparse.Namespace) -> int:
    """0 once the solution is written."""
    output: Path | None = arguments.output
    if output is not None and output.exists() and not arguments.force:
        raise UsageError(f"{output} exists; pass --force to replace it")
    try:
        text = asyncio.run(_solution(arguments))
    except (ExportError, NotAssignable, TaskError, BindingFailed, ConfinementError) as error:
        raise UsageError(f"{arguments.file}: {error}") from None
    if output is None:
        print_exactly(text)
        return 0
    try:
        put(output, text.encode())
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from None
    print(f"wrote {output}")
    return 0


async def _solution(arguments: argparse.Namespace) -> str:
    path: Path = arguments.file
    try:
        candidate = read_candidate(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}") from None
    configuration = configuration_for(path, arguments)
    async with Verifier(configuration, "none" if arguments.no_sandbox else "auto") as verifier:
        try:
            plans = verifier.plan(candidate)
        except ValueError as error:
            raise UsageError(str(error)) from None
        plan = choose_plan(plans, arguments.entry, candidate.name)
        assert plan.task is not None
        if plan.entry is None:
            raise ExportError(f"has no function '{plan.entry_name}'")
        description = await verifier.describe(plan.task, "full")
        binding = bind(plan.entry, plan.directive, description, candidate.name, plan.entry_name)
        return solution(candidate, plan.task, plan.entry, binding, description)
