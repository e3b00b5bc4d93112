"""What is known of a value without running anything: which tensor of the task it is, or by what expression it is made."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["tensor", "scalar", "none", "items", "module", "library", "result", "opaque"]


@dataclass(frozen=True)
class Value:
    """`text` is, by kind: a tensor's and a scalar's expression in a directive, a library's dotted name, why a value is opaque."""

    kind: Kind
    text: str = ""
    items: tuple["Value", ...] = ()
    tensor: bool = False  # of opaque ones: a tensor all the same
    output: int | None = None  # of results: which output of the operator
    zeroed: bool = False  # of results: zero before the operator runs
    elsewhere: bool = False  # of opaque tensors: certainly none that an operator of the bundle made

    @property
    def is_tensor(self) -> bool:
        return self.kind in ("tensor", "result") or self.tensor


NONE = Value("none", "None")


def opaque(why: str, tensor: bool = False) -> Value:
    return Value("opaque", why, tensor=tensor)


def scalar(text: str) -> Value:
    return Value("scalar", text)


def merged(one: Value | None, other: Value | None, why: str) -> Value:
    """The value after two branches if it is not known which one is taken."""
    if one is not None and one == other:
        return one
    return opaque(why, any(v is not None and v.is_tensor for v in (one, other)))


@dataclass(frozen=True)
class OperatorCall:
    """One call of the operator: what `aclnn<operator>` is given, in its order."""

    operator: str
    arguments: tuple[Value, ...]
    line: int
    column: int


def short(text: str) -> str:
    """As much of a spelling as a message shows."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
