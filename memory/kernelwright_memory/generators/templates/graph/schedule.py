"""Which kernels compute a graph: what is fused into one launch, and what goes by way of memory.

Pointwise work joins the kernel of the node that it reads (as an epilogue) or that reads it. Reductions over the same axes of
the same shape share one pass structure (softmax: largest, sum, quotient). The rest is stored in temporaries.
"""

from dataclasses import dataclass
from typing import Literal

from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Buffer,
    Expression,
    Load,
    Node,
    Unsupported,
    Value,
    is_whole,
    loads,
    nodes,
    replace,
    reshape,
)
from kernelwright_memory.generators.templates.graph.operators import HALVES
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

StepKind = Literal["elementwise", "rows", "matmul", "convolution", "pool", "scan", "pack", "recurrence"]


_STEPS: dict[str, StepKind] = {
    "matmul": "matmul",
    "convolution": "convolution",
    "pool": "pool",
    "scan": "scan",
    "recurrence": "recurrence",
}


@dataclass(frozen=True, eq=False)
class Step:
    """One launch: `value`, in the shape that the kernel walks over, is stored in order into `target`.

    `nodes` are computed by this kernel, in the order in which they need each other. For rows, `space` is the shape that is
    reduced along `axes`, and `whole` says that the value has an element for each of it rather than one a row.
    """

    kind: StepKind
    value: Value
    target: Buffer
    nodes: tuple[Node, ...] = ()
    inputs: tuple[tuple[Value, ...], ...] = ()
    space: tuple[Size, ...] = ()
    axes: tuple[int, ...] = ()
    whole: bool = False
    parts: int = 0
    """of rows: in so many parts each, for which the results of all nodes are stored one after the other"""


@dataclass(frozen=True)
class Schedule:
    steps: tuple[Step, ...]
    temporaries: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]


def schedule(outputs: tuple[Value, ...], names: tuple[str, ...], dtypes: tuple[str, ...]) -> Schedule:
    """Plan the launches that compute `outputs` into buffers called `names`.

    Raises:
        Unsupported: an output is an input as it stands, so that nothing is left to compute.
    """
    scheduler = _Scheduler(_readers(outputs))
    buffers = []
    for value, name, dtype in zip(outputs, names, dtypes, strict=True):
        target = Buffer(name, dtype, value.shape)
        scheduler.store(value, target)
        buffers.append(target)
    return Schedule(tuple(scheduler.steps), tuple(scheduler.temporaries), tuple(buffers))


def _readers(outputs: tuple[Value, ...]) -> dict[Node, int]:
    """How many values and nodes read each node."""
    readers: dict[Node, int] = {}
    waiting = list(outputs)
    while waiting:
        for node in nodes(waiting.pop().expression):
            if node not in readers:
                waiting += node.inputs
            readers[node] = readers.get(node, 0) + 1
    return readers


class _Scheduler:
    def __init__(self, readers: dict[Node, int]) -> None:
        self._readers = readers
        self.steps: list[Step] = []
        self.temporaries: list[Buffer] = []
        self._stored: dict[Node, Buffer] = {}
        self._counter = 0

    def store(self, value: Value, target: Buffer) -> None:
        value = self._resolved(value)
        waiting = nodes(value.expression)
        copied = _copied(value)
        if copied is not None:
            self.store(copied, target)
        elif not waiting:
            self.steps.append(Step("elementwise", value, target))
        elif all(node.kind == "reduce" for node in waiting):
            self._store_rows(value, target)
        elif len(waiting) == 1 and waiting[0].kind != "copy" and self._store_fused(value, waiting[0], target):
            return
        else:
            # Reductions and copies may still become one kernel, with each other and with what follows.
            dear = [node for node in waiting if node.kind not in ("reduce", "copy")]
            inner = None if dear else self._without_copy(value, waiting)
            if inner is not None:
                self.store(inner, target)
                return
            for node in dear or [node for node in waiting if node.kind == "copy"]:
                self._temporary(node)
            self.store(value, target)

    def _resolved(self, value: Value) -> Value:
        """Results of nodes that are in memory by now are read from there."""

        def leaf(e: Expression) -> Expression:
            if isinstance(e, Load) and e.buffer.node in self._stored:
                return Load(e.dtype, self._stored[e.buffer.node], e.strides, e.offset, e.gathered)
            return e

        return Value(value.shape, replace(value.expression, leaf))

    def _without_copy(self, value: Value, waiting: list[Node]) -> Value | None:
        """The value with what it reads of a copy in place of the copy, where it reads each element at its place and
        nobody else reads it."""
        for node in waiting:
            if node.kind != "copy" or self._readers.get(node, 0) > 1:
                continue
            fused = reshape(value, node.shape)
            if fused is None:
                continue
            own = [load for load in loads(fused.expression) if load.buffer.node is node]
            if not all(is_whole(load) for load in own):
                continue
            source = node.inputs[0].expression

            def leaf(e: Expression, node: Node = node, source: Expression = source) -> Expression:
                return source if isinstance(e, Load) and e.buffer.node is node else e

            return self._resolved(Value(node.shape, replace(fused.expression, leaf)))
        return None

    def _temporary(self, node: Node) -> None:
        """Compute a node into memory of its own."""
        if node in self._stored:
            return
        dtype = "float32" if node.dtype in HALVES else node.dtype
        buffer = Buffer(f"temporary{self._counter}", dtype, node.shape)
        self._counter += 1
        self.store(node.inputs[0] if node.kind == "copy" else node.result(), buffer)
        self.temporaries.append(buffer)
        self._stored[node] = buffer

    def _inputs(self, node: Node) -> tuple[Value, ...]:
        """The inputs of a node; what they need is computed first."""
        inputs = []
        for value in node.inputs:
            value = self._resolved(value)
            for needed in nodes(value.expression):
                self._temporary(needed)
            inputs.append(self._resolved(value))
        return tuple(inputs)

    def _store_fused(self, value: Value, node: Node, target: Buffer) -> bool:
        """As the epilogue of a node, where every element of the value needs just the element of the node at its place."""
        alone = isinstance(value.expression, Load) and is_whole(value.expression)
        if self._readers.get(node, 0) > 1 and not alone:
            return False
        fused = reshape(value, node.shape)
        if fused is None or not all(
            is_whole(load) for load in loads(fused.expression) if load.buffer.node is node
        ):
            return False
        inputs = self._inputs(node)
        self.steps.append(Step(_STEPS[node.kind], fused, target, (node,), (inputs,)))
        return True

    # ---- rows ------------------------------------------------------------------------------------------------------

    def _store_rows(self, value: Value, target: Buffer) -> None:
        anchor = max(nodes(value.expression), key=_depth)
        space, axes = anchor.inputs[0].shape, tuple(anchor.attributes["axes"])
        chain, odd = self._chain(value, space, axes)
        if odd:
            for node in odd:
                self._temporary(node)
            self.store(value, target)
            return
        kept = tuple(e for a, e in enumerate(space) if a not in axes)
        # Few rows keep few blocks busy: their results go by way of memory to all the others.
        one_row = product(kept).constant == 1 and product(value.shape) == product(space)
        if one_row or (product(value.shape) == product(space) and _few_rows(space, axes)):
            for node in nodes(value.expression):
                self._temporary(node)
            self.store(value, target)
            return
        for whole, shape in ((False, kept), (True, space)):
            fused = reshape(value, shape) if product(shape) == product(value.shape) else None
            if fused is not None and all(
                _of_its_row(load, shape, axes if whole else ())
                for load in loads(fused.expression)
                if load.buffer.node
            ):
                inputs = tuple((self._in_space(node, space),) for node in chain)
                self.steps.append(Step("rows", fused, target, tuple(chain), inputs, space, axes, whole))
                return
        if isinstance(value.expression, Load) and is_whole(value.expression):
            raise Unsupported(f"a reduction '{anchor.operation}' in a form that no template knows")
        for node in nodes(value.expression):
            self._temporary(node)
        self.store(value, target)

    def _in_space(self, node: Node, space: tuple[Size, ...]) -> Value:
        value = reshape(self._resolved(node.inputs[0]), space)
        assert value is not None
        return value

    def _chain(
        self, value: Value, space: tuple[Size, ...], axes: tuple[int, ...]
    ) -> tuple[list[Node], list[Node]]:
        """The reductions that a value needs, innermost first, and those that do not fit the space (nor are reductions)."""
        chain: list[Node] = []
        odd: list[Node] = []

        def visit(node: Node) -> None:
            if node in chain or node in odd:
                return
            if (
                node.kind != "reduce"
                or tuple(node.attributes["axes"]) != axes
                or node.inputs[0].shape != space
            ):
                odd.append(node)
                return
            inner = self._resolved(node.inputs[0])
            for needed in nodes(inner.expression):
                visit(needed)
            for load in loads(inner.expression):
                if load.buffer.node in chain and not _of_its_row(load, space, axes):
                    odd.append(load.buffer.node)
            chain.append(node)

        for node in nodes(value.expression):
            visit(node)
        return chain, odd


def _depth(node: Node) -> int:
    """How many reductions a reduction needs one after the other: the last one says which rows are computed."""
    inner = (n for value in node.inputs for n in nodes(value.expression) if n.kind == "reduce")
    return 1 + max((_depth(n) for n in inner), default=0)


def _few_rows(space: tuple[Size, ...], axes: tuple[int, ...]) -> bool:
    """There is a row for each channel of a batch of images: few long ones, unlike the columns of a matrix."""
    reduced = [a for a in axes if space[a] != Size.of(1)]
    kept = [a for a in range(len(space)) if a not in axes and space[a] != Size.of(1)]
    return len(kept) == 1 and len(reduced) > 1 and min(reduced) < kept[0] < max(reduced)


def _copied(value: Value) -> Value | None:
    """What a value is a copy of, in the same order: then no second buffer is needed."""
    load = value.expression
    if isinstance(load, Load) and load.buffer.node is not None and load.buffer.node.kind == "copy":
        source = load.buffer.node.inputs[0]
        if load.offset == ZERO and not load.gathered and load.strides == contiguous(value.shape):
            return source if product(source.shape) == product(value.shape) else None
    return None


def _of_its_row(load: Load, shape: tuple[Size, ...], reduced: tuple[int, ...]) -> bool:
    """The load of a row's result is the same all along the row, and another for each row, in order."""
    if load.offset != ZERO or load.gathered:
        return False
    kept = [a for a in range(len(shape)) if a not in reduced]
    wanted = contiguous(tuple(shape[a] for a in kept))
    right = all(load.strides[a] == w for a, w in zip(kept, wanted, strict=True) if shape[a].value != 1)
    return right and all(load.strides[a] == ZERO for a in reduced if shape[a].value != 1)
