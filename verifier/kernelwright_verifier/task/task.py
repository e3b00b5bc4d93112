"""What a kernel must compute: a KernelBench-format file, and what the reference process says of it."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from kernelwright_backends.core.model import Model


class TensorSpec(Model):
    """A tensor without its data."""

    name: str
    dtype: str = Field(description="torch's name without the prefix: float32, bfloat16, int64, bool, ...")
    shape: tuple[int, ...]
    strides: tuple[int, ...] = Field(description="in elements")

    @property
    def numel(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def contiguous(self) -> bool:
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected:
                return False
            expected *= extent
        return True


Scalar = int | float | bool


class Argument(Model):
    """One argument of `Model.forward` or `Model.__init__`."""

    name: str
    kind: Literal["tensor", "scalar", "tuple", "other"]
    tensor: TensorSpec | None = None
    value: Scalar | tuple[Scalar, ...] | str | None = None
    member_of: str | None = Field(None, description="forward's list of tensors that this is an element of")


class Operator(Model):
    """One operator call of the reference, as traced below autograd (aten names without the namespace).

    An operator in place has its functional name where nothing else sees the memory. Where something does (`y[:, 0].mul_(2)`)
    the underscore stays, and its outputs are the changed value and, after it, every other value that shares the memory.
    """

    name: str = Field(description="'relu', 'mm', '_softmax', 'convolution', 'native_layer_norm', ...")
    overload: str = "default"
    inputs: tuple[str, ...] = Field((), description="value ids of the tensor arguments, in order")
    outputs: tuple[str, ...] = Field((), description="value ids of the results")
    attributes: dict[str, Any] = Field(default_factory=dict, description="all other arguments by name")


class OperatorTrace(Model):
    """The reference as a straight line of operators over named values. Ids of forward's tensors, of parameters and
    buffers are their names (`x`, `ln.weight`), of constants `const0`, of results `%0`, `%1`, ...; outputs are listed."""

    values: dict[str, TensorSpec] = Field(default_factory=dict)
    operators: tuple[Operator, ...] = ()
    outputs: tuple[str, ...] = ()
    numbers: dict[str, Scalar] = Field(
        default_factory=dict, description="what the constants without dimensions hold, by their names"
    )
    signs: tuple[str, ...] = Field((), description="inputs that a loss takes for 1 or -1")


class TaskDescription(Model):
    """What the reference process knows of a task at given sizes."""

    forward: tuple[Argument, ...] = ()
    init: tuple[Argument, ...] = ()
    parameters: tuple[TensorSpec, ...] = ()
    buffers: tuple[TensorSpec, ...] = ()
    outputs: tuple[TensorSpec, ...] = ()
    constants: dict[str, Any] = Field(
        default_factory=dict, description="module-level integers, floats, tuples"
    )
    sizes: dict[str, Any] = Field(
        default_factory=dict, description="every module constant that sets sizes, as used"
    )
    size: Literal["full", "reduced"] = "full"
    reduction: int | None = Field(
        None, description="T of docs/development/verification.md, Sizes, None where none was needed"
    )
    trace: OperatorTrace = OperatorTrace()
    float64: bool = Field(
        True,
        description="the reference can be evaluated in float64, as far as shapes tell; a trial says what was used",
    )
    random: tuple[str, ...] = Field(
        (), description="operators whose result is drawn anew in every call (dropout)"
    )
    requires: dict[str, str] = Field(default_factory=dict)
    shapes: tuple[dict[str, Any], ...] = ()
    tf32: tuple[Literal["convolution", "product"], ...] = Field(
        (), description="what PyTorch computes in TF32 on a GPU under the task's flags"
    )


class Task(Model):
    """A task file and how it was found."""

    path: Path
    text: str
    found_by: Literal["directive", "sibling", "configuration", "argument"] = "directive"
    small: dict[str, int] | None = Field(
        None, description="sizes of a sidecar or of [[task]]; SMALL in the file stays there"
    )
    requires: dict[str, str] = Field(
        default_factory=dict, description="preconditions declared outside of the file; they win over its own"
    )
    requires_by_others: dict[str, str] | None = Field(
        None,
        description="`requires` without what the candidate's own directive declares; None where it declares nothing",
    )
    shapes: tuple[dict[str, int], ...] = Field((), description="further shapes, declared outside of the file")


class Candidate(Model):
    """The whole source text proposed for a task, as it stands in the editor or on disk."""

    path: Path
    text: str
    name: str = Field(description="the path as the user gave it")
    version: int | None = None
