"""`kernelwright export FILE`: the kernel as a KernelBench solution, a Python file with the class `ModelNew`. Nothing is built or run
but the task, which says what is passed."""

import argparse
import asyncio
from pathlib import Path

from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.files import candidate_at, look_whether_free, write_text
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.features.assignment import NotAssignable, choose_plan
from kernelwright_server.features.kernelbench.exporting import ExportError, solution
from kernelwright_verifier.binding import BindingFailed, bind
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.verifier import Verifier


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
    look_whether_free(arguments.output, arguments.force)
    try:
        text = asyncio.run(_solution(arguments))
    except (ExportError, NotAssignable, TaskError, BindingFailed, ConfinementError) as error:
        raise UsageError(f"{arguments.file}: {error}") from None
    write_text(arguments.output, text)
    return 0


async def _solution(arguments: argparse.Namespace) -> str:
    path: Path = arguments.file
    candidate = candidate_at(path)
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
