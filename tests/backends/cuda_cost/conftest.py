"""Kernels built and traced through the toolchain, in the real sandbox."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from numpy.typing import NDArray

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain
from kernelwright_backends.interfaces.build import ArgumentSlot, EntryCall
from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_backends.interfaces.run import ArgumentValue, Call, RunRequest, RunResult, TensorData
from kernelwright_verifier.sandbox import open_confinement

HERE = Path(__file__).parent
H200 = Target.parse("cuda:h200@cpu")
_APART = 1 << 26  # bytes between tensors in the file of values
Trace = Callable[..., RunResult]


def _strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def _tensor(name: str, shape: Sequence[int], dtype: str) -> TensorData:
    return TensorData(name=name, dtype=dtype, shape=tuple(shape), strides=_strides(shape), offset=0)


def _drawn(name: str, values: Mapping[str, NDArray[Any]], places: Mapping[str, int]) -> TensorData | None:
    if name not in values:
        return None
    held = values[name]
    return _tensor(name, held.shape, held.dtype.name).model_copy(update={"offset": places[name]})


@pytest.fixture(scope="session")
def toolchain() -> CudaCpuToolchain:
    return CudaCpuToolchain()


@pytest.fixture(scope="session")
def trace(toolchain: CudaCpuToolchain) -> Trace:
    """trace(file, arguments, ...) -> the result of a run in mode `trace`.

    Arguments are `{name, shape, role, dtype="float32"}` for tensors and `{value}` for scalars; `held`: what tensors hold.
    """
    confinement = open_confinement("auto")

    def run(
        file: str | Path,
        arguments: Sequence[dict[str, Any]],
        *,
        entry: str = "run",
        returned: Sequence[Sequence[int]] = (),
        target: Target = H200,
        held: Mapping[str, NDArray[Any]] = MappingProxyType({}),
    ) -> RunResult:
        path = HERE / file
        places = {name: number * _APART for number, name in enumerate(held)}
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
                        drawn=_drawn(argument["name"], held, places),
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
            with (
                tempfile.NamedTemporaryFile(prefix="kernelwright-") as mapping,
                tempfile.NamedTemporaryFile(prefix="kernelwright-") as file,
            ):
                for name, content in held.items():
                    file.seek(places[name])
                    file.write(content.tobytes())
                file.flush()
                request = RunRequest(
                    mapping=Path(mapping.name),
                    values=Path(file.name) if held else None,
                    calls=(Call(arguments=tuple(values), returned=wanted),),
                    mode="trace",
                    limits=Limits(),
                )
                return await toolchain.run(built, request, target, confinement)

        return asyncio.run(build_and_run())

    return run
