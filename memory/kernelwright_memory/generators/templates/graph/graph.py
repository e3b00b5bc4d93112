"""What a task computes, as a graph: values over index spaces, with every view folded into strides.

A value is an expression per element of its shape. The leaves are loads from a buffer (an input, a temporary, or the result
of a node) by an affine index. Nodes are the operators that one thread cannot compute from a few elements: reductions,
products, convolutions, pooling, scans.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

NodeKind = Literal["reduce", "matmul", "convolution", "pool", "scan", "copy", "pack", "recurrence"]
ONE = Size.of(1)
ZERO = Size.of(0)


class Unsupported(Exception):
    """No template covers this; the message names the operator or the construct."""


@dataclass(frozen=True, eq=False)
class Buffer:
    """Something with storage: a tensor of the task, a temporary, or the result of a node that is not stored anywhere."""

    name: str
    dtype: str
    shape: tuple[Size, ...]
    node: "Node | None" = None


@dataclass(frozen=True, eq=False)
class Expression:
    """An element. Shared subexpressions are shared objects."""

    dtype: str


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    value: int | float | bool


@dataclass(frozen=True, eq=False)
class Extent(Expression):
    """A size as a number, such as the count that a mean divides by."""

    size: Size


@dataclass(frozen=True, eq=False)
class Position(Expression):
    """An affine function of the element's coordinates: the column of a triangular mask, an element of arange."""

    strides: tuple[Size, ...]
    offset: Size


@dataclass(frozen=True, eq=False)
class Load(Expression):
    buffer: Buffer
    strides: tuple[Size, ...]
    offset: Size = ZERO
    # Further terms of the index that are read from memory: (expression, stride).
    gathered: tuple[tuple[Expression, Size], ...] = ()


@dataclass(frozen=True, eq=False)
class Apply(Expression):
    """A pointwise operation of operators.py. With `guarded`, the branches of `where` are only computed where taken."""

    operation: str
    arguments: tuple[Expression, ...]
    guarded: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor: its shape and the expression of its element at coordinates of that shape."""

    shape: tuple[Size, ...]
    expression: Expression

    @property
    def dtype(self) -> str:
        return self.expression.dtype


@dataclass(eq=False)
class Node:
    """An operator over whole tensors. `shape` and `dtype` are those of its result."""

    kind: NodeKind
    operation: str
    inputs: tuple[Value, ...]
    shape: tuple[Size, ...]
    dtype: str
    attributes: dict[str, Any] = field(default_factory=dict)

    def result(self) -> Value:
        buffer = Buffer(self.operation, self.dtype, self.shape, self)
        return Value(self.shape, Load(self.dtype, buffer, contiguous(self.shape)))


def replace(expression: Expression, leaf: Callable[[Expression], Expression]) -> Expression:
    """The same expression with every Load and Position put through `leaf`; sharing is kept."""
    done: dict[int, Expression] = {}

    def walk(e: Expression) -> Expression:
        if id(e) not in done:
            if isinstance(e, Apply):
                done[id(e)] = Apply(e.dtype, e.operation, tuple(walk(a) for a in e.arguments), e.guarded)
            elif isinstance(e, Load):
                gathered = tuple((walk(index), stride) for index, stride in e.gathered)
                done[id(e)] = leaf(Load(e.dtype, e.buffer, e.strides, e.offset, gathered))
            elif isinstance(e, Position):
                done[id(e)] = leaf(e)
            else:
                done[id(e)] = e
        return done[id(e)]

    return walk(expression)


def leaves(expression: Expression) -> list[Expression]:
    """Every Load and Position, each object once, in order of evaluation; those inside gathered indices included."""
    found: dict[int, Expression] = {}
    seen: set[int] = set()

    def walk(e: Expression) -> None:
        if id(e) in seen:
            return
        seen.add(id(e))
        if isinstance(e, Apply):
            for argument in e.arguments:
                walk(argument)
        elif isinstance(e, Load):
            for index, _ in e.gathered:
                walk(index)
            found[id(e)] = e
        elif isinstance(e, Position):
            found[id(e)] = e

    walk(expression)
    return list(found.values())


def loads(expression: Expression) -> list[Load]:
    return [leaf for leaf in leaves(expression) if isinstance(leaf, Load)]


def nodes(expression: Expression) -> list[Node]:
    """The nodes whose results an expression reads, each once."""
    return list(dict.fromkeys(load.buffer.node for load in loads(expression) if load.buffer.node is not None))


# ---- views: new strides for every leaf ------------------------------------------------------------------------------


def _strided(leaf: Expression, strides: tuple[Size, ...], offset: Size) -> Expression:
    if isinstance(leaf, Load):
        return Load(leaf.dtype, leaf.buffer, strides, offset, leaf.gathered)
    assert isinstance(leaf, Position)
    return Position(leaf.dtype, strides, offset)


def _strides_of(leaf: Expression) -> tuple[tuple[Size, ...], Size]:
    assert isinstance(leaf, (Load, Position))
    return leaf.strides, leaf.offset


def restride(
    value: Value, shape: tuple[Size, ...], change: Callable[[tuple[Size, ...]], tuple[tuple[Size, ...], Size]]
) -> Value:
    """A view: `change` maps the strides of a leaf to its new strides and what is added to its offset."""

    def leaf(e: Expression) -> Expression:
        strides, offset = _strides_of(e)
        new, added = change(strides)
        return _strided(e, new, offset + added)

    return Value(shape, replace(value.expression, leaf))


def permute(value: Value, order: list[int]) -> Value:
    order = [axis % max(len(value.shape), 1) for axis in order]
    return restride(value, tuple(value.shape[a] for a in order), lambda s: (tuple(s[a] for a in order), ZERO))


def unsqueeze(value: Value, axis: int) -> Value:
    axis = axis if axis >= 0 else axis + len(value.shape) + 1
    shape = (*value.shape[:axis], ONE, *value.shape[axis:])
    return restride(value, shape, lambda s: ((*s[:axis], ZERO, *s[axis:]), ZERO))


def squeeze(value: Value, axes: list[int] | None = None) -> Value:
    rank = len(value.shape)
    wanted = range(rank) if axes is None else [a % max(rank, 1) for a in axes]
    keep = [a for a in range(rank) if not (a in wanted and value.shape[a].value == 1)]
    return permute(value, keep) if len(keep) < rank else value


def expand(value: Value, shape: tuple[Size, ...]) -> Value:
    """Broadcast to `shape`: leading axes are added, axes of extent 1 are repeated."""
    missing = len(shape) - len(value.shape)
    own = (*(ONE for _ in range(missing)), *value.shape)

    def change(strides: tuple[Size, ...]) -> tuple[tuple[Size, ...], Size]:
        full = (*(ZERO for _ in range(missing)), *strides)
        return tuple(
            ZERO if o != w and (o == ONE or (o.value == 1 and w.value != 1)) else s
            for s, o, w in zip(full, own, shape, strict=True)
        ), ZERO

    if shape == value.shape:
        return value
    return restride(value, shape, change)


def sliced(value: Value, axis: int, start: Size, extent: Size, step: int) -> Value:
    shape = tuple(extent if a == axis else e for a, e in enumerate(value.shape))
    return restride(
        value,
        shape,
        lambda s: (tuple(x * step if a == axis else x for a, x in enumerate(s)), s[axis] * start),
    )


def flip(value: Value, axes: list[int]) -> Value:
    axes = [a % len(value.shape) for a in axes]

    def change(strides: tuple[Size, ...]) -> tuple[tuple[Size, ...], Size]:
        offset = ZERO
        for a in axes:
            offset = offset + strides[a] * (value.shape[a] - 1)
        return tuple(s * -1 if a in axes else s for a, s in enumerate(strides)), offset

    return restride(value, value.shape, change)


def reshape(value: Value, shape: tuple[Size, ...]) -> Value | None:
    """The same elements in another shape, None where some leaf's strides allow no view."""
    if shape == value.shape:
        return value
    plan = _groups(value.shape, shape)
    if plan is None:
        return None
    possible = True

    def change(strides: tuple[Size, ...]) -> tuple[tuple[Size, ...], Size]:
        nonlocal possible
        new: dict[int, Size] = {}
        for sources, targets in plan:
            sources = [a for a in sources if value.shape[a] != ONE]
            for a, b in pairwise(sources):
                if strides[a] != strides[b] * value.shape[b]:
                    possible = False
            step = strides[sources[-1]] if sources else ZERO
            for t in reversed(targets):
                new[t] = step
                step = step * shape[t]
        return tuple(new.get(t, ZERO) for t in range(len(shape))), ZERO

    result = restride(value, shape, change)
    return result if possible else None


def _groups(old: tuple[Size, ...], new: tuple[Size, ...]) -> list[tuple[list[int], list[int]]] | None:
    """Pair runs of axes with equal products, as small as possible."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        sources, targets = [], []
        left = right = ONE
        if i < len(old):
            sources, left, i = [i], old[i], i + 1
        if j < len(new) and not (sources and left == ONE and new[j] != ONE):
            targets, right, j = [j], new[j], j + 1
        while left != right:
            # Equal at these sizes only: an axis that is 1 here makes the difference elsewhere.
            same = left.value == right.value
            part = same and j < len(new) and new[j].value == 1
            if left.value < right.value or (same and not part and i < len(old)):
                if i == len(old):
                    return None
                sources.append(i)
                left, i = left * old[i], i + 1
            else:
                if j == len(new):
                    return None
                targets.append(j)
                right, j = right * new[j], j + 1
        groups.append((sources, targets))
    return groups


def is_whole(load: Load) -> bool:
    """The load walks its buffer in order, each element once."""
    return _walks(load, load.buffer.shape)


def is_in_order(load: Load, shape: tuple[Size, ...]) -> bool:
    """The elements of a value of that shape lie side by side from the start of the buffer."""
    same = tuple(e.value for e in load.buffer.shape) == tuple(e.value for e in shape)
    return _walks(load, shape) or (same and is_whole(load))


def _walks(load: Load, shape: tuple[Size, ...]) -> bool:
    if load.offset != ZERO or load.gathered or len(load.strides) != len(shape):
        return False
    in_order = zip(load.strides, contiguous(shape), shape, strict=True)
    return all(own == wanted or extent == ONE for own, wanted, extent in in_order)


def count(value: Value) -> Size:
    return product(value.shape)
