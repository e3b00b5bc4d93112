"""`kernelwright refine FILE`: make a correct kernel faster."""

import argparse
from collections.abc import AsyncGenerator
from pathlib import Path

from kernelwright_memory import Memory, StoreError
from kernelwright_memory.agent import Event
from kernelwright_memory.generators.base import Generator
from kernelwright_server.cli import draft_refine
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.features.assignment import Work
from kernelwright_verifier.project.config import Configuration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a correct kernel's file")
    parser.add_argument(
        "--resume", metavar="RUN", help="continue an interrupted run, by its id or its first characters"
    )
    draft_refine.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.file.suffix == ".py":
        raise UsageError(f"{arguments.file} is a task and has no kernel to refine; draft one first")
    return draft_refine.run(arguments, _refine)


def _refine(
    work: Work,
    generator: Generator,
    memory: Memory | None,
    arguments: argparse.Namespace,
    configuration: Configuration,
) -> AsyncGenerator[Event, None]:
    resumed = None
    if arguments.resume:
        if memory is None:
            raise UsageError("--resume needs the memory; run without --no-memory")
        try:
            resumed = memory.run_named(arguments.resume)
        except (KeyError, StoreError) as error:
            raise UsageError(str(error.args[0])) from None
    return work.refine(
        generator,
        memory,
        policy=arguments.policy or configuration.agent.policy,
        seed=arguments.seed,
        steps=arguments.steps or configuration.agent.steps,
        resumed=resumed,
    )
