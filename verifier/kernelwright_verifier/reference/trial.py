"""What the reference gives for one trial: inputs and expected outputs in one mapping file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES
from kernelwright_backends.interfaces.run import TensorData
from kernelwright_verifier.reference import elements
from kernelwright_verifier.task.task import Scalar

_CHUNK = 1 << 20


class TensorsGone(Exception):
    """The file of a trial was removed or cut short by somebody else while it was in use; the message says which."""


@dataclass(frozen=True, slots=True)
class NarrowBounds:
    """What an output of 8 or 16 bits is held to, beside the rounding of each of its elements."""

    rounded: bool = False
    """what it is compared with are the task's own values, since there are no others"""
    float32_rms_error: float = 0.0
    """of the task evaluated in float32, before the last rounding"""
    float32_max_error: float = 0.0
    draws: int = 0
    """evaluations whose roundings were dithered by up to a step of theirs"""
    square: float = 1.0
    """the largest mean square of a draw's errors, each as a share of what rounding does to its element"""
    scale: float = 0.0
    """rms over the draws of the share by which the whole output is too large"""
    outliers: int = 0
    """elements that may be further off than the draws tell of them, where a rounding decides which of two numbers is the larger"""
    outlier: float = 0.0
    """the furthest that any element moves in a draw"""
    spread: TensorData | None = None
    """float32, in the same file: rms over the draws of what each element moves before its last rounding; None where that is nothing"""


@dataclass(frozen=True, slots=True)
class OwnError:
    """How far an output of the reference itself is off, where it computes in TF32."""

    rms: float
    largest: float


@dataclass(frozen=True, slots=True)
class Expected:
    """One output of the reference: float64 values (exact ones for integers) and how exact its own type is."""

    tensor: TensorData
    """where the values lie; its dtype is float64 for every floating-point output"""
    dtype: str
    """of the output itself"""
    rms: float
    rms_error: float
    """of the reference evaluated in the task's own types, against float64"""
    max_error: float
    reduction: int
    """K of the tolerance (check A6): elements that an output sums up, added along the longest chain of reductions"""
    of_reference: OwnError | None = None
    """where no more is asked of a candidate than the reference itself computes; None: float32 accuracy is"""
    narrow: NarrowBounds | None = None
    """of outputs of 8 and 16 bits"""
    low: TensorData | None = None
    """int64, in the same file: the least that whole numbers may be whose elements hang on roundings; None where none does"""
    high: TensorData | None = None
    """the most"""
    differing: int = 0
    """how many of these elements may be another number than the expected one"""
    undecided: int = 0
    """integers that come out differently in float64, beside those that equals decide"""
    tied: TensorData | None = None
    """bool, in the same file: integers that stand where equals of an order do, which of them comes first being anybody's choice"""
    ranks: TensorData | None = None
    """int32, in the same file: of the elements whose places `tied` tells of, the dense ranks along `ranked_dim`, which equals share;
    None where it is not known what may stand at such a place"""
    ranked_dim: int | None = None
    moved_rms: float = 0.0
    """how far the float64 values move where the task's plain numbers are rounded to float32"""
    moved_largest: float = 0.0
    usual: float = 0.0
    """rms of this output at the task's own inputs, grown as these are in this trial: terms of that size may cancel here, and their
    rounding stays"""

    @property
    def name(self) -> str:
        return self.tensor.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.shape

    def values(self, mapping: Path) -> NDArray[Any]:
        """The expected values in their shape."""
        return read_tensor(mapping, self.tensor)


@dataclass(frozen=True, slots=True)
class Trial:
    """Inputs under one seed and family, and what must come out."""

    mapping: Path
    """file with all tensors, each aligned to 256 bytes; read-only"""
    tensors: Mapping[str, TensorData]
    """forward's tensors, parameters and buffers by binding name (`x`, `ln.weight`)"""
    scalars: Mapping[str, Scalar | tuple[Scalar, ...]]
    """of forward and __init__, and the module's constants"""
    expected: tuple[Expected, ...]
    seed: int
    family: str
    attempt: str
    """which of the family's attempts stayed within the task's domain; "given": the task's own inputs"""
    precision: str
    """what the expected values were evaluated in: float64, or float32 where the task cannot be"""
    input_rms: float = 0.0
    """of the real numbers among forward's tensors"""


@dataclass(frozen=True, slots=True)
class DrawnInputs:
    """A task's own tensors without what must come out."""

    mapping: Path
    """file with all tensors, each at the beginning of a page; read-only"""
    tensors: Mapping[str, TensorData]


@dataclass(frozen=True, slots=True)
class Screen:
    """What the task itself shows (check A3, degenerate tasks), and a trial of which it is known what must be read (A5)."""

    trial: Trial
    needed: Mapping[str, TensorData]
    """bool tensors in the trial's mapping: the elements of an input, parameter or buffer on which an output depends by its
    derivative; nothing is said of tensors that are missing"""
    forward: frozenset[str]
    """names of forward's tensors"""
    depends: bool
    """the outputs are made of the values of forward's tensors, not of their shapes alone"""
    impulses: int
    """further trials that it takes to show which elements a task that selects looks at"""
    families: tuple[str, ...]
    """further families of inputs, beside the usual ones, without which a part of the outputs says nothing"""
    fixed: tuple[str, ...]
    """inputs that the task makes alike in every draw, without declaring that they hold nothing else"""
    used: Mapping[str, int]
    """of a task whose outputs are the same whatever is given: how many elements of an input it makes anything of; nothing is said
    of inputs that are missing"""
    weak: tuple[Mapping[str, Any], ...]
    """each way in which the task proves little: {"what", "name", "axis", "share", "line", ...}"""


def read_stretch(
    mapping: Path, offset: int, size_bytes: int, chunk_bytes: int = _CHUNK
) -> Iterator[bytes | bytearray]:
    """Bytes of a file of tensors, a piece at a time. Read, and not mapped: who cuts a mapped file ends those who look at it.

    Raises:
        TensorsGone: they are not all there any more.
    """
    try:
        with mapping.open("rb", buffering=0) as file:
            file.seek(offset)
            while size_bytes:
                piece = file.read(min(chunk_bytes, size_bytes))
                if not piece:
                    raise TensorsGone(f"{mapping} was truncated while it was in use; verify again")
                size_bytes -= len(piece)
                yield piece
    except FileNotFoundError:
        raise TensorsGone(f"{mapping} was removed while it was in use; verify again") from None


def read_tensor(mapping: Path, tensor: TensorData) -> NDArray[Any]:
    """One tensor of a mapping in its shape, whatever its strides; bfloat16 comes as float32.

    Raises:
        TensorsGone: it is not there any more.
    """
    if tensor.numel == 0:
        return elements.decoded(b"", tensor.dtype).reshape(tensor.shape)
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.strides, strict=True))
    size = span * ELEMENT_SIZE_BYTES[tensor.dtype]
    flat = elements.decoded(b"".join(read_stretch(mapping, tensor.offset, size, size)), tensor.dtype)
    return np.lib.stride_tricks.as_strided(
        flat, tensor.shape, tuple(stride * flat.itemsize for stride in tensor.strides), writeable=False
    )
