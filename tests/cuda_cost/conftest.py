"""Kernels built and traced through the toolchain, in the real sandbox."""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.cuda.cpu.toolchain import CudaCpuToolchain
from kernelwright_backends.dialect import index_of
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import (
    ArgumentSlot,
    ArgumentValue,
    Call,
    EntryCall,
    Limits,
    RunRequest,
    RunResult,
    TensorData,
)
from kernelwright_verifier.sandbox import open_confinement

HERE = Path(__file__).parent
H200 = Target.parse("cuda:h200@cpu")
Trace = Callable[..., RunResult]


def _strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _tensor(name: str, shape: Sequence[int], dtype: str) -> TensorData:
    return TensorData(name=name, dtype=dtype, shape=tuple(shape), strides=_strides(shape), offset=0)


@pytest.fixture(scope="session")
def toolchain() -> CudaCpuToolchain:
    return CudaCpuToolchain()


@pytest.fixture(scope="session")
def trace(toolchain: CudaCpuToolchain) -> Trace:
    """trace(file, arguments, ...) -> the result of a run in mode `trace`.

    Arguments are `{name, shape, role, dtype="float32"}` for tensors and `{value}` for scalars.
    """
    confinement = open_confinement("auto")

    def run(
        file: str | Path,
        arguments: Sequence[dict[str, Any]],
        *,
        entry: str = "run",
        returned: Sequence[Sequence[int]] = (),
        target: Target = H200,
    ) -> RunResult:
        path = HERE / file
        text = path.read_text(encoding="utf-8")
        slots, values = [], []
        for argument in arguments:
            if "shape" in argument:
                dtype = argument.get("dtype", "float32")
                slots.append(ArgumentSlot(kind="tensor", c_type="", name=argument["name"], element=dtype))
                values.append(
                    ArgumentValue(
                        kind="tensor",
                        role=argument["role"],
                        tensor=_tensor(argument["name"], argument["shape"], dtype),
                    )
                )
            else:
                slots.append(ArgumentSlot(kind="scalar", c_type="int"))
                values.append(ArgumentValue(kind="scalar", value=argument["value"]))
        form = "tensor" if returned else "launcher"
        call = EntryCall(entry=entry, form=form, slots=tuple(slots), returns=len(returned))
        wanted = tuple(_tensor(f"out{n}", shape, "float32") for n, shape in enumerate(returned))

        async def build_and_run() -> RunResult:
            built = await toolchain.build(text, path, index_of("cuda", text), call, target, confinement)
            assert built.object is not None, built.findings
            with tempfile.NamedTemporaryFile(prefix="kernelwright-") as mapping:
                request = RunRequest(
                    mapping=Path(mapping.name),
                    calls=(Call(arguments=tuple(values), returned=wanted),),
                    mode="trace",
                    limits=Limits(),
                )
                return await toolchain.run(built, request, target, confinement)

        return asyncio.run(build_and_run())

    return run
