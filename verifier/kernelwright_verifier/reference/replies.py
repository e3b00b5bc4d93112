"""The replies of a worker, validated by kind and size and against their file. No reply names a path.

A worker runs a task, so that it may say anything. What it says of the task is the task's own affair; that it has the shape of an
answer, holds no more than one can, and speaks of bytes that exist, is looked at here, before anybody uses it.
"""

import math
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES
from kernelwright_backends.core.model import Model
from kernelwright_backends.interfaces.run import TensorData
from kernelwright_verifier.reference import elements
from kernelwright_verifier.task.task import TaskDescription, TensorSpec

_LONGEST_NAME, _LONGEST_TEXT = 400, 4000
_LARGEST_COUNT = 1 << 62
_LARGEST_NUMBER = 1 << 256
_MOST_DIMENSIONS = 64
_MOST_IMPULSES = 64
_LAST_PLACE = 10_000_000
# The tensors of a trial against those of the description: masks, ranks and wide values of everything, and sizes that are drawn.
_MOST_TIMES_DESCRIBED, _ALWAYS_BYTES = 64, 64 << 20

_Name = Annotated[str, Field(max_length=_LONGEST_NAME)]
_Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]
_Place = Annotated[int, Field(ge=1, le=_LAST_PLACE)]
_Count = Annotated[int, Field(ge=0, le=_LARGEST_COUNT)]
_Size = Annotated[float, Field(ge=0)]  # which no not-a-number is
_Answer = TypeVar("_Answer", bound=BaseModel)


class NoAnswer(Exception):
    """What a worker said is no answer to what it was asked; the message says why, in a few words of ours."""


class SaidFault(Model):
    """What is wrong with the task, and where in its file."""

    code: Literal["TASK_INVALID", "TASK_SOLUTION", "SIZE_INVALID", "SIZE_TOO_LARGE", "ENV_DISK"]
    message: _Text
    line: _Place
    column: _Place
    end_line: _Place
    end_column: _Place


class SaidNarrow(Model):
    """What an output of 8 or 16 bits is held to (`trial.NarrowBounds`)."""

    rounded: bool = False
    float32_rms_error: _Size = 0.0
    float32_max_error: _Size = 0.0
    draws: Annotated[int, Field(ge=0, le=_MOST_DIMENSIONS)] = 0
    square: _Size = 1.0
    scale: _Size = 0.0
    outliers: _Count = 0
    outlier: _Size = 0.0
    spread: TensorData | None = None


class SaidError(Model):
    """How far the reference itself is off (`trial.OwnError`)."""

    rms: _Size
    largest: _Size


class SaidExpected(Model):
    """One expected output (`trial.Expected`)."""

    tensor: TensorData
    dtype: _Name
    reduction: _Count
    rms: _Size
    rms_error: _Size
    max_error: _Size
    moved_rms: _Size = 0.0
    moved_largest: _Size = 0.0
    of_reference: SaidError | None = None
    narrow: SaidNarrow | None = None
    low: TensorData | None = None
    high: TensorData | None = None
    differing: _Count = 0
    undecided: _Count = 0
    tied: TensorData | None = None
    ranks: TensorData | None = None
    ranked_dim: Annotated[int, Field(ge=-_MOST_DIMENSIONS, le=_MOST_DIMENSIONS)] | None = None


class SaidInputs(Model):
    """Tensors that lie in the file that the worker was told to write."""

    tensors: dict[_Name, TensorData]

    def stored(self) -> Iterable[TensorData]:
        return self.tensors.values()


class SaidTrial(SaidInputs):
    """A trial (`trial.Trial`)."""

    scalars: dict[_Name, Any]
    expected: tuple[SaidExpected, ...]
    attempt: _Name
    precision: Literal["float64", "float32"]
    input_rms: _Size
    needed: dict[_Name, TensorData] = {}

    def stored(self) -> Iterable[TensorData]:
        yield from super().stored()
        yield from self.needed.values()
        for expected in self.expected:
            yield expected.tensor
            spread = None if expected.narrow is None else expected.narrow.spread
            further = (expected.tied, expected.ranks, expected.low, expected.high, spread)
            yield from (tensor for tensor in further if tensor is not None)


class SaidWeakness(Model):
    """One way in which a task proves little, and where in its file."""

    what: Literal["constant", "unused", "axis", "saturated", "not finite", "rounding", "small"]
    name: _Name
    everywhere: bool | None = None
    axis: int | None = None
    share: _Size | None = None
    value: float | None = None
    size: _Size | None = None
    line: _Place = 1
    column: _Place = 1
    end_line: _Place = 1
    end_column: _Place = 1


class SaidScreen(SaidTrial):
    """What the task itself shows (`trial.Screen`)."""

    forward: tuple[_Name, ...]
    depends: bool
    impulses: Annotated[int, Field(ge=0, le=_MOST_IMPULSES)]
    families: tuple[_Name, ...]
    fixed: tuple[_Name, ...]
    used: dict[_Name, _Count]
    weak: tuple[SaidWeakness, ...]


class _Reply(Model):
    error: SaidFault | None = None


class _Described(_Reply):
    result: TaskDescription | None = None


class _Drawn(_Reply):
    result: SaidInputs | None = None


class _Tried(_Reply):
    result: SaidTrial | None = None


class _Screened(_Reply):
    result: SaidScreen | None = None


_KINDS: dict[str, type[_Described | _Drawn | _Tried | _Screened]] = {
    "describe": _Described,
    "inputs": _Drawn,
    "trial": _Tried,
    "screen": _Screened,
}
_NEEDS = {
    "constant": "everywhere",
    "axis": "axis",
    "saturated": "share",
    "rounding": "size",
    "small": "size",
}


def read_reply(kind: str, line: bytes) -> TaskDescription | SaidInputs | SaidFault:
    """The answer to a request of this kind.

    Raises:
        NoAnswer: it is none.
    """
    reply = parsed(_KINDS[kind], line)
    if (reply.result is None) == (reply.error is None):
        raise NoAnswer("neither a result nor an error")
    if reply.result is None:
        assert reply.error is not None
        return reply.error
    _look_at(reply.result)
    return reply.result


def parsed(kind: type[_Answer], line: bytes) -> _Answer:
    """A line of JSON as a model; nested deeply, too large a number, or half a character makes it none.

    Raises:
        NoAnswer: it is not of that kind.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        at = ".".join(str(part)[:40] for part in first["loc"][-3:])
        raise NoAnswer(f"{at}: {first['type']}" if at else str(first["type"])) from None


def printable(text: str) -> str:
    """A text of a task's on one line, without what a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in text)


def end_bytes(answer: SaidInputs, most_bytes: int = _LARGEST_COUNT) -> int:
    """Where the last of an answer's tensors ends in its file.

    Args:
        most_bytes: of all its tensors, each counted as often as it is told of.

    Raises:
        NoAnswer: one of them cannot lie in any file, or all together are larger than that.
    """
    end = all_bytes = 0
    for tensor in answer.stored():
        _look_at_spec(tensor)
        if not 0 <= tensor.offset <= _LARGEST_COUNT:
            raise NoAnswer("a tensor has an impossible offset")
        if tensor.dtype not in ELEMENT_SIZE_BYTES:
            raise NoAnswer("a tensor has an unknown element type")
        size = ELEMENT_SIZE_BYTES[tensor.dtype]
        all_bytes += tensor.numel * size
        if all_bytes > most_bytes:
            raise NoAnswer("more in its tensors than it can hold")
        if tensor.numel:
            last = sum((e - 1) * s for e, s in zip(tensor.shape, tensor.strides, strict=True))
            end = max(end, tensor.offset + (last + 1) * size)
    return end


def look_whether_it_fits(answer: SaidInputs, description: TaskDescription) -> None:
    """Hold what was drawn to what the same task was described as. What it draws may have other extents each time.

    Raises:
        NoAnswer: tensors are missing, of another type or number of dimensions, or there is far more in them.
    """
    given = [a.tensor for a in description.forward if a.tensor is not None]
    specs = (*given, *description.parameters, *description.buffers)
    for spec in specs:
        said = answer.tensors.get(spec.name)
        if said is None or said.dtype != spec.dtype or len(said.shape) != len(spec.shape):
            raise NoAnswer("its inputs are not those that it has described")
    outputs = description.outputs
    if isinstance(answer, SaidTrial):
        expected = [(e.dtype, len(e.tensor.shape)) for e in answer.expected]
        if expected != [(spec.dtype, len(spec.shape)) for spec in outputs]:
            raise NoAnswer("its outputs are not those that it has described")
    described_bytes = sum(spec.numel * ELEMENT_SIZE_BYTES.get(spec.dtype, 1) for spec in (*specs, *outputs))
    end_bytes(answer, _ALWAYS_BYTES + _MOST_TIMES_DESCRIBED * described_bytes)


def _look_at(answer: TaskDescription | SaidInputs) -> None:
    if isinstance(answer, TaskDescription):
        _look_at_description(answer)
        return
    end_bytes(answer)
    if isinstance(answer, SaidTrial):
        _look_at_plain(answer.scalars)
        for expected in answer.expected:
            _look_at_expected(expected)
    if isinstance(answer, SaidScreen):
        for weak in answer.weak:
            needed = _NEEDS.get(weak.what)
            if needed is not None and getattr(weak, needed) is None:
                raise NoAnswer(f"a weakness has no {needed}")
            if weak.what == "saturated" and weak.value is None:
                raise NoAnswer("a weakness has no value")


def _look_at_description(description: TaskDescription) -> None:
    arguments = (*description.forward, *description.init)
    kernels = [a.tensor for a in arguments if a.tensor is not None]
    for spec in (*kernels, *description.parameters, *description.buffers, *description.outputs):
        _look_at_spec(spec)
        if spec.dtype not in ELEMENT_SIZE_BYTES and not spec.dtype.startswith(
            ("float", "int", "uint", "bits")
        ):
            raise NoAnswer("a tensor has an unknown element type")
    for spec in description.trace.values.values():
        _look_at_spec(spec)
    _look_at_plain([a.value for a in arguments])
    for argument in arguments:
        if argument.kind == "tensor" and argument.tensor is None:
            raise NoAnswer("a tensor has no description")
    for content in (description.constants, description.sizes, list(description.shapes)):
        _look_at_plain(content)
    trace = description.trace
    for operator in trace.operators:
        _look_at_plain(operator.attributes)
        if not trace.values.keys() >= {*operator.inputs, *operator.outputs}:
            raise NoAnswer("an operator names values that do not exist")
    if not trace.values.keys() >= {*trace.outputs}:
        raise NoAnswer("an output does not exist")
    _look_at_plain(list(description.requires.values()))


def _look_at_spec(spec: TensorSpec | TensorData) -> None:
    if len(spec.name) > _LONGEST_NAME or len(spec.dtype) > _LONGEST_NAME:
        raise NoAnswer("a tensor's name is too long")
    if len(spec.shape) != len(spec.strides) or len(spec.shape) > _MOST_DIMENSIONS:
        raise NoAnswer("a tensor's strides do not fit its shape")
    if any(not 0 <= n <= _LARGEST_COUNT for n in (*spec.shape, *spec.strides)):
        raise NoAnswer("a tensor has an impossible size")
    if math.prod(spec.shape) > _LARGEST_COUNT:
        raise NoAnswer("a tensor has an impossible size")


def _look_at_expected(expected: SaidExpected) -> None:
    tensor = expected.tensor
    kept = "float64" if elements.is_floating(expected.dtype) else expected.dtype
    if expected.dtype not in ELEMENT_SIZE_BYTES or tensor.dtype != kept:
        raise NoAnswer("an output's values have another element type")
    step = 1
    for extent, stride in zip(reversed(tensor.shape), reversed(tensor.strides), strict=True):
        if extent > 1 and stride != step:
            raise NoAnswer("an output is not contiguous")
        step *= max(extent, 1)
    spread = None if expected.narrow is None else expected.narrow.spread
    if spread is not None and (spread.shape != tensor.shape or spread.dtype != "float32"):
        raise NoAnswer("the spread of an output does not fit it")
    if (expected.low is None) != (expected.high is None):
        raise NoAnswer("an output has one end of what it may be")
    for end in (expected.low, expected.high):
        if end is not None and (end.shape != tensor.shape or end.dtype != "int64"):
            raise NoAnswer("what an output may be does not fit it")
    if expected.tied is not None and expected.tied.shape != tensor.shape:
        raise NoAnswer("the places of tied elements do not fit their output")
    ranks, dim = expected.ranks, expected.ranked_dim
    if ranks is None:
        return
    if dim is None or expected.tied is None or ranks.dtype != "int32":
        raise NoAnswer("ranks are given without an output")
    shape = list(tensor.shape)
    if len(ranks.shape) not in (len(shape), len(shape) + 1) or not ranks.shape:
        raise NoAnswer("ranks do not fit their output")
    at = dim if dim >= 0 else dim + len(ranks.shape)
    if not 0 <= at < len(ranks.shape):
        raise NoAnswer("ranks have no dimension")
    if len(ranks.shape) > len(shape):
        shape.insert(at, 1)
    if any(one != other for n, (one, other) in enumerate(zip(ranks.shape, shape, strict=True)) if n != at):
        raise NoAnswer("ranks do not fit their output")


def _look_at_plain(value: Any) -> None:
    """Numbers, texts and lists of them: neither numbers nor texts without end."""
    if isinstance(value, str):
        if len(value) > _LONGEST_TEXT:
            raise NoAnswer("a text is too long")
    elif isinstance(value, int):
        if abs(value) > _LARGEST_NUMBER:
            raise NoAnswer("a number is too long")
    elif isinstance(value, dict):
        for name, content in value.items():
            _look_at_plain(name)
            _look_at_plain(content)
    elif isinstance(value, (list, tuple)):
        for content in value:
            _look_at_plain(content)
