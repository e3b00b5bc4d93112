"""One warm reference for all tests of this folder, and small tasks."""

import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.sandbox import Sandbox, open_confinement
from kernelwright_verifier.task.task import Task

MakeTask = Callable[..., Task]


@pytest.fixture(scope="session")
def confinement() -> Sandbox:
    return open_confinement("auto")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def reference(
    tmp_path_factory: pytest.TempPathFactory, confinement: Sandbox
) -> AsyncIterator[Reference]:
    async with Reference(None, confinement, cache=tmp_path_factory.mktemp("reference"), jobs=2) as reference:
        yield reference


@pytest.fixture(scope="session")
def make_task() -> MakeTask:
    """A task from the body of a file; torch and nn are imported for it, on line 1."""

    def make(text: str, name: str = "task.py", **fields: object) -> Task:
        body = "import torch; from torch import nn\n" + textwrap.dedent(text).lstrip("\n")
        return Task(path=Path("/somewhere") / name, text=body, **fields)

    return make
