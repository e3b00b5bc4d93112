"""Lays the tensors of several trials out in one mapping, and reads them back."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES
from kernelwright_backends.core.model import Model
from kernelwright_backends.interfaces.run import ArgumentValue, Call, TensorData
from kernelwright_backends.storage.disk_space import reserve_space
from kernelwright_backends.untrusted.handover import taken_off
from kernelwright_verifier.binding import Binding, BoundArgument, launch_value, scalar_value, scope_of
from kernelwright_verifier.reference import elements
from kernelwright_verifier.reference.client import Trial
from kernelwright_verifier.reference.trial import read_stretch
from kernelwright_verifier.task.task import TaskDescription, TensorSpec

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


def taken_back(path: Path) -> NDArray[np.uint8]:
    """What the runner has left of its mapping, once no process of it is there any more. The file is gone afterwards.

    Raises:
        FileNotFoundError, HandoverError: what lies there is not the file that was made for it.
    """
    with taken_off(path.parent, path.name) as (descriptor, size_bytes):
        if size_bytes == 0:
            return np.zeros(0, dtype=np.uint8)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return np.memmap(file, dtype=np.uint8, mode="r")


def stretch(content: NDArray[np.uint8], offset: int, size_bytes: int) -> NDArray[np.uint8]:
    """A part of what was left; noughts where the candidate has made the file shorter."""
    part = content[offset : offset + size_bytes]
    return part if part.size == size_bytes else np.pad(part, (0, size_bytes - part.size))


def write_mapping(
    path: Path, size_bytes: int, pieces: Iterable[tuple[int, Iterable[bytes | bytearray]]]
) -> None:
    """Make the file that a runner shares with us: bytes by their offsets, noughts elsewhere.

    Raises:
        OSError: there is no room for it, or it is there.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        reserve_space(file, max(size_bytes, _ALIGNMENT))
        for offset, parts in pieces:
            file.seek(offset)
            for part in parts:
                file.write(part)


class _Stored(NamedTuple):
    """Bytes of a trial's file."""

    mapping: Path
    offset: int
    size_bytes: int


class Layout:
    """Grows a mapping trial by trial."""

    def __init__(self, binding: Binding, description: TaskDescription) -> None:
        self._binding = binding
        self._description = description
        self._pieces: list[tuple[int, bytes | _Stored]] = []
        self.size_bytes = 0

    def add(self, trial: Trial, schedule_seed: int) -> LaidOutTrial:
        """Place the tensors of one trial.

        Raises:
            ExpressionError: a scalar, grid or block cannot be evaluated at these sizes.
            TensorsGone: the trial's tensors are not there any more.
        """
        scope = {**scope_of(self._description), **trial.scalars}
        arguments: list[ArgumentValue] = []
        outputs: dict[int, TensorData] = {}
        inputs: list[TensorData] = []
        for bound in self._binding.arguments:
            value = self._argument(bound, trial, scope)
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
        """Make the file.

        Raises:
            TensorsGone: a trial's tensors are not there any more.
            OSError: there is no room for it.
        """
        write_mapping(
            path,
            self.size_bytes,
            (
                (offset, read_stretch(*piece) if isinstance(piece, _Stored) else (piece,))
                for offset, piece in self._pieces
            ),
        )

    def _launch(self, key: Literal["grid", "block", "smem"]) -> tuple[int, int, int] | None:
        text = getattr(self._binding, key)
        return launch_value(text, key, self._description) if text is not None else None

    def _argument(
        self,
        bound: BoundArgument,
        trial: Trial,
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
        content: bytes | _Stored = _Stored(trial.mapping, given.offset, span)
        dtype = given.dtype
        if bound.convert is not None and bound.convert != dtype:
            original = b"".join(read_stretch(trial.mapping, given.offset, span))
            content, dtype = elements.convert(original, dtype, bound.convert), bound.convert
            span = len(content)
        tensor = TensorData(
            name=given.name,
            dtype=dtype,
            shape=given.shape,
            strides=given.strides,
            offset=self._place(span, content),
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

    def _place(self, size: int, content: bytes | _Stored | None) -> int:
        offset = -(-self.size_bytes // _ALIGNMENT) * _ALIGNMENT
        self.size_bytes = offset + size
        if content is not None and size:
            self._pieces.append((offset, content))
        return offset
