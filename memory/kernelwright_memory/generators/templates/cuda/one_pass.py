"""Reductions that wait for another one only to stay exact, and can do without.

Squares of deviations from a mean are summed around the first element that a thread sees and moved to the mean afterwards; sums
of exponentials follow the largest element so far. Either saves a pass over the row.
"""

from dataclasses import dataclass

from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Apply,
    Constant,
    Expression,
    Extent,
    Load,
    Node,
    Position,
    loads,
)
from kernelwright_memory.generators.templates.graph.schedule import Step


@dataclass(frozen=True)
class Deviations:
    """The sum of (element - centre)^2, whose centre is the same all along the row."""

    element: Expression
    centre: Expression


@dataclass(frozen=True)
class Exponentials:
    """The sum of exp(element - largest), where `largest` is that of all elements."""

    element: Expression
    largest: Node


def deviations(step: Step, node: Node) -> Deviations | None:
    """What a node of a step is, if it is a sum of squared deviations."""
    expression = _input(step, node).arguments if node.operation == "sum" and _is(step, node, "square") else ()
    if not expression or not isinstance(expression[0], Apply) or expression[0].operation != "sub":
        return None
    element, centre = expression[0].arguments
    own = [n for n in step.nodes if any(x.buffer.node is n for x in loads(centre))]
    alike = all(
        not x.gathered and (x.buffer.node in own or all(x.strides[a] == ZERO for a in step.axes))
        for x in loads(centre)
    )
    if element.dtype not in ("float32", "float64") or not alike or _has_position(centre):
        return None
    # Without a mean of this row there is nothing to wait for.
    return Deviations(element, centre) if own else None


def exponentials(step: Step, node: Node) -> Exponentials | None:
    """What a node of a step is, if it is a sum of exponentials below the largest element."""
    found = _input(step, node).arguments if node.operation == "sum" and _is(step, node, "exp") else ()
    if not found or not isinstance(found[0], Apply) or found[0].operation != "sub":
        return None
    element, largest = found[0].arguments
    if not isinstance(largest, Load) or largest.buffer.node not in step.nodes:
        return None
    other = largest.buffer.node
    if other.operation != "max" or element.dtype not in ("float32", "float64"):
        return None
    of_largest = step.inputs[step.nodes.index(other)][0].expression
    return Exponentials(element, other) if same(element, of_largest) else None


def _input(step: Step, node: Node) -> Apply:
    expression = step.inputs[step.nodes.index(node)][0].expression
    assert isinstance(expression, Apply)
    return expression


def _is(step: Step, node: Node, operation: str) -> bool:
    expression = step.inputs[step.nodes.index(node)][0].expression
    return isinstance(expression, Apply) and expression.operation == operation


def _has_position(e: Expression) -> bool:
    return isinstance(e, Position) or (isinstance(e, Apply) and any(_has_position(a) for a in e.arguments))


def same(a: Expression, b: Expression) -> bool:
    """Both compute the same number at the same place."""
    if a is b:
        return True
    if type(a) is not type(b) or a.dtype != b.dtype:
        return False
    if isinstance(a, Apply) and isinstance(b, Apply):
        return a.operation == b.operation and _all_same(a.arguments, b.arguments)
    if isinstance(a, Load) and isinstance(b, Load):
        buffers = a.buffer is b.buffer or (a.buffer.node is not None and a.buffer.node is b.buffer.node)
        return (
            buffers and (a.strides, a.offset) == (b.strides, b.offset) and not a.gathered and not b.gathered
        )
    if isinstance(a, Constant) and isinstance(b, Constant):
        return a.value == b.value
    if isinstance(a, Extent) and isinstance(b, Extent):
        return a.size == b.size
    return (
        isinstance(a, Position) and isinstance(b, Position) and (a.strides, a.offset) == (b.strides, b.offset)
    )


def _all_same(a: tuple[Expression, ...], b: tuple[Expression, ...]) -> bool:
    return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
