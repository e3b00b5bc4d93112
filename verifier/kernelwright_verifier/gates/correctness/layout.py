"""Lays the tensors of several trials out in one mapping, and reads them back (contracts.md section 7)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from kernelwright_backends.kernel import ELEMENT_SIZE_BYTES
from kernelwright_backends.model import Model
from kernelwright_backends.room import take_room
from kernelwright_backends.toolchain import ArgumentValue, Call, TensorData
from kernelwright_verifier.binding import Binding, BoundArgument, launch_value, scalar_value, scope_of
from kernelwright_verifier.processes import elements
from kernelwright_verifier.processes.reference import Trial
from kernelwright_verifier.task import TaskDescription, TensorSpec

_ALIGNMENT = 256


class LaidOutTrial(Model):
    """Where one trial's tensors lie in the runner's mapping."""

    call: Call
    outputs: tuple[TensorData, ...]
    """one for each output of the task, in its order"""
    inputs: tuple[TensorData, ...]
    """as passed, each once; they must come back unchanged"""


def span_bytes(shape: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> int:
    """How many bytes a strided tensor stretches over; a 0-d tensor is one element."""
    if any(extent == 0 for extent in shape):
        return 0
    last = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    return (last + 1) * ELEMENT_SIZE_BYTES[dtype]


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


class Layout:
    """Grows a mapping trial by trial."""

    def __init__(self, binding: Binding, description: TaskDescription) -> None:
        self._binding = binding
        self._description = description
        self._pieces: list[tuple[int, bytes | memoryview]] = []
        self.size_bytes = 0

    def add(self, trial: Trial, schedule_seed: int) -> LaidOutTrial:
        """Place the tensors of one trial.

        Raises:
            ExpressionError: a scalar, grid or block cannot be evaluated at these sizes.
        """
        scope = {**scope_of(self._description), **trial.scalars}
        source = memoryview(np.memmap(trial.mapping, dtype=np.uint8, mode="r"))  # type: ignore[arg-type]
        arguments: list[ArgumentValue] = []
        outputs: dict[int, TensorData] = {}
        inputs: list[TensorData] = []
        for bound in self._binding.arguments:
            value = self._argument(bound, trial, source, scope)
            arguments.append(value)
            if value.tensor is None:
                continue
            if bound.output is not None:
                outputs[bound.output] = value.tensor
            if value.role in ("input", "parameter", "buffer"):
                inputs.append(value.tensor)
        returned = []
        for position in self._binding.returned:
            outputs[position] = self._output(position, trial)
            returned.append(outputs[position])
        call = Call(
            arguments=tuple(arguments),
            returned=tuple(returned),
            grid=self._launch("grid"),
            block=self._launch("block"),
            smem_bytes=(self._launch("smem") or (0, 1, 1))[0],
            schedule_seed=schedule_seed,
        )
        return LaidOutTrial(
            call=call, outputs=tuple(outputs[i] for i in sorted(outputs)), inputs=tuple(inputs)
        )

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            take_room(file, max(self.size_bytes, _ALIGNMENT))
            for offset, piece in self._pieces:
                file.seek(offset)
                file.write(piece)

    def _launch(self, key: Literal["grid", "block", "smem"]) -> tuple[int, int, int] | None:
        text = getattr(self._binding, key)
        return launch_value(text, key, self._description) if text is not None else None

    def _argument(
        self,
        bound: BoundArgument,
        trial: Trial,
        source: memoryview,
        scope: Mapping[str, object],
    ) -> ArgumentValue:
        match bound.role:
            case "stream" | "alias" | "nothing":
                return ArgumentValue(kind="stream")
            case "scalar":
                value = scalar_value(bound.text or "", scope)  # type: ignore[arg-type]
                return ArgumentValue(kind="scalar", value=value)
            case "tiling":
                numbers = tuple(scalar_value(text, scope) for text in bound.texts)  # type: ignore[arg-type]
                return ArgumentValue(kind="tiling", values=numbers)
            case "workspace":
                size = scalar_value(bound.text or "", scope)  # type: ignore[arg-type]
                return ArgumentValue(kind="workspace", size_bytes=max(0, int(size)))
            case "output":
                assert bound.output is not None
                return ArgumentValue(kind="tensor", role="output", tensor=self._output(bound.output, trial))
            case "zeroed":
                assert bound.output is not None
                return ArgumentValue(
                    kind="tensor", role="inout", tensor=self._output(bound.output, trial, zeroed=True)
                )
        assert bound.tensor is not None
        given = trial.tensors[bound.tensor]
        span = span_bytes(given.shape, given.strides, given.dtype)
        content = source[given.offset : given.offset + span]
        dtype = given.dtype
        if bound.convert is not None and bound.convert != dtype:
            content = memoryview(elements.convert(bytes(content), dtype, bound.convert))
            dtype = bound.convert
        tensor = TensorData(
            name=given.name,
            dtype=dtype,
            shape=given.shape,
            strides=given.strides,
            offset=self._place(len(content), content),
        )
        role: Literal["input", "parameter", "buffer", "inout"] = bound.role
        return ArgumentValue(kind="tensor", role=role, tensor=tensor)

    def _output(self, position: int, trial: Trial, *, zeroed: bool = False) -> TensorData:
        spec: TensorSpec = self._description.outputs[position]
        # How much is selected depends on the values: then the trial's own shape counts.
        shape = trial.expected[position].shape
        strides = contiguous_strides(shape)
        size = span_bytes(shape, strides, spec.dtype)
        return TensorData(
            name=f"out{position}",
            dtype=spec.dtype,
            shape=shape,
            strides=strides,
            offset=self._place(size, bytes(size) if zeroed else None),
        )

    def _place(self, size: int, content: bytes | memoryview | None) -> int:
        offset = -(-self.size_bytes // _ALIGNMENT) * _ALIGNMENT
        self.size_bytes = offset + size
        if content is not None and size:
            self._pieces.append((offset, content))
        return offset
