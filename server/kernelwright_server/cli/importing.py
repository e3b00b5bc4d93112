"""`kernelwright import SOLUTION.py --task TASK.py`: a KernelBench solution as a CUDA file with its directive. The solution is read
and never run; the task is, in the sandbox, for the names of its arguments."""

import argparse
import asyncio
import os
from pathlib import Path

from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.files import look_whether_free, text_at, write_text
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.features.kernelbench.importing import UnreadableSolution, imported
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.task.task import Task
from kernelwright_verifier.verifier import Verifier


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="SOLUTION.py", help="a Python file with the class ModelNew"
    )
    parser.add_argument("--task", type=Path, metavar="TASK.py", required=True, help="the task that it solves")
    parser.add_argument(
        "--output", "-o", type=Path, metavar="OUT.cu", help="write it there (default: standard output)"
    )
    parser.add_argument("--force", action="store_true", help="replace OUT.cu if it exists")
    parser.add_argument(
        "--no-sandbox", action="store_true", help="run the task without a sandbox: only for code you trust"
    )
    add_trust(parser)


def run(arguments: argparse.Namespace) -> int:
    """0 once the CUDA file is written."""
    output: Path | None = arguments.output
    look_whether_free(output, arguments.force)
    solution = text_at(arguments.file)
    task = Task(path=arguments.task.absolute(), text=text_at(arguments.task), found_by="argument")
    folder = output.absolute().parent if output is not None else Path.cwd()
    named = Path(os.path.relpath(task.path, folder)).as_posix()
    try:
        parameters = asyncio.run(_parameters(task, arguments))
        text = imported(solution, arguments.file, named, parameters)
    except UnreadableSolution as error:
        place = f"{arguments.file}:{error.line}" if error.line else str(arguments.file)
        raise UsageError(f"{place}: {error}") from None
    except (TaskError, ConfinementError) as error:
        raise UsageError(f"{arguments.task}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"a source of {arguments.file} cannot be read: {error}") from None
    write_text(output, text, f"; verify it with: kernelwright check {output}")
    return 0


async def _parameters(task: Task, arguments: argparse.Namespace) -> tuple[str, ...]:
    """Names of the arguments of the task's forward, in order."""
    configuration = configuration_for(arguments.file, arguments)
    async with Verifier(configuration, "none" if arguments.no_sandbox else "auto") as verifier:
        description = await verifier.describe(task, "auto")
    return tuple(argument.name for argument in description.forward)
