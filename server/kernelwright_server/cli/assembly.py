"""`kernelwright assembly FILE`: the PTX or SASS of its kernels, by NVIDIA's compiler. No GPU is needed; nothing is run."""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from kernelwright_backends.core.registry import dialect_of, index_of, support_of
from kernelwright_backends.core.target import DEFAULT_TARGETS
from kernelwright_backends.interfaces.assembly import Listing, ListingError, ListingForm
from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.files import candidate_at
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.cli.terminal import print_exactly, print_json
from kernelwright_server.features.listed_kernels import AssemblyError, architecture_of, kernels_of, shown
from kernelwright_verifier.verifier import Verifier


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a CUDA file")
    parser.add_argument(
        "--kernel",
        metavar="NAME",
        help="only this kernel, or the kernels that this host function launches; 'k<float>' names an instance of "
        "a template",
    )
    parser.add_argument(
        "--arch",
        action="append",
        metavar="sm_90",
        help="architecture or product (repeatable; default: the target's)",
    )
    parser.add_argument("--sass", action="store_true", help="show SASS instead of PTX")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--no-sandbox", action="store_true", help="run without a sandbox: only for code you trust"
    )
    add_trust(parser)


def run(arguments: argparse.Namespace) -> int:
    """0 where everything that was asked for is shown."""
    try:
        documents = asyncio.run(_documents(arguments))
    except (AssemblyError, ListingError, ConfinementError) as error:
        raise UsageError(f"{arguments.file}: {error}") from None
    if arguments.format == "json":
        for document in documents:
            print_json(json.dumps(document))
    else:
        print_exactly("\n".join(document["text"] for document in documents))
    return 0


async def _documents(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    path: Path = arguments.file
    candidate = candidate_at(path)
    dialect = dialect_of(candidate.path, candidate.text)
    assembler = support_of(dialect).assembler if dialect is not None else None
    if dialect is None or assembler is None:
        raise AssemblyError("is not a CUDA file")
    configuration = configuration_for(path, arguments)
    usual = DEFAULT_TARGETS[dialect].architecture
    if configuration.target.startswith(f"{dialect}:"):
        usual = architecture_of(configuration.target, dialect)
    architectures = tuple(
        dict.fromkeys(architecture_of(name, dialect) for name in arguments.arch or (usual,))
    )
    index = index_of(dialect, candidate.text)
    functions = kernels_of(index, arguments.kernel)
    form: ListingForm = "sass" if arguments.sass else "ptx"
    found = []
    async with Verifier(configuration, "none" if arguments.no_sandbox else "auto") as verifier:
        for architecture in architectures:
            listing: Listing = await verifier.listing(candidate, index, architecture, form)
            document = shown(assembler, listing, functions, arguments.kernel, candidate)
            found.append(
                {
                    "schema": 1,
                    "file": str(path),
                    "kernel": arguments.kernel,
                    "architecture": architecture,
                    "form": form,
                    "compiler": f"nvcc {listing.version}",
                    "text": document.text,
                    "lines": [[first, last, list(lines)] for first, last, lines in document.spans],
                }
            )
    return found
