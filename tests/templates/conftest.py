"""Descriptions of the examples' tasks from one warm reference, hand-made traces, and drafts by the template generator."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.syntax import index
from kernelwright_memory.generators.base import Generation, GenerationRequest
from kernelwright_memory.generators.templates import TemplateGenerator
from kernelwright_verifier.task.task import (
    Argument,
    Operator,
    OperatorTrace,
    Task,
    TaskDescription,
    TensorSpec,
)
from kernelwright_verifier.verifier import Verifier

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Generate = Callable[..., Generation]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def verifier() -> AsyncIterator[Verifier]:
    async with Verifier() as verifier:
        yield verifier


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def descriptions(verifier: Verifier) -> dict[str, TaskDescription]:
    """What the reference says of each example's task."""
    tasks = {file.stem: Task(path=file, text=file.read_text()) for file in sorted(EXAMPLES.glob("*/*.py"))}
    found = await asyncio.gather(*(verifier.describe(task) for task in tasks.values()))
    return dict(zip(tasks, found, strict=True))


def spec(name: str, shape: tuple[int, ...], dtype: str = "float32") -> TensorSpec:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return TensorSpec(name=name, dtype=dtype, shape=shape, strides=tuple(reversed(strides)))


@pytest.fixture(scope="session")
def describe() -> Callable[..., TaskDescription]:
    """A description from inputs {name: shape or (shape, dtype)} and operators (name, inputs, output shape, attributes)."""

    def make(
        inputs: dict[str, Any],
        *operators: tuple[str, tuple[str, ...], tuple[int, ...], dict[str, Any]],
        dtype: str = "float32",
    ) -> TaskDescription:
        specs = {
            n: spec(n, *given) if isinstance(given[0], tuple) else spec(n, given)
            for n, given in inputs.items()
        }
        values, steps = dict(specs), []
        for number, (name, arguments, shape, attributes) in enumerate(operators):
            result = f"%{number}"
            values[result] = spec(result, shape, attributes.pop("result", dtype))
            steps.append(Operator(name=name, inputs=arguments, outputs=(result,), attributes=attributes))
        last = f"%{len(operators) - 1}"
        return TaskDescription(
            forward=tuple(Argument(name=n, kind="tensor", tensor=s) for n, s in specs.items()),
            outputs=(spec("out", values[last].shape, values[last].dtype),),
            trace=OperatorTrace(values=values, operators=tuple(steps), outputs=(last,)),
        )

    return make


@pytest.fixture(scope="session")
def generate() -> Generate:
    """One step of the generator: from a bare task, or for an entry of a text."""

    def step(
        description: TaskDescription, text: str = "", entry: str | None = None, **more: Any
    ) -> Generation:
        function = index(text.encode()).find(entry) if entry else None
        form = (
            "kernel"
            if function and function.kind == "kernel"
            else (function.form if function else None) or "tensor"
        )
        fields = {"stage": "draft", "task_text": "", "path": EXAMPLES / "task.py", **more}
        request = GenerationRequest(
            description=description,
            text=text,
            entry=entry,
            form=form,
            target=Target.parse("cuda:sm_90@cpu"),
            **fields,
        )
        return asyncio.run(TemplateGenerator().generate(request))

    return step
