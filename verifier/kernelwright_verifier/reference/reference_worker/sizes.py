"""The sizes of a task: module-level integers that are literals or expressions of literals."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from .faults import TaskFault, place_of

# Constants that say into how many parts another is split.
_PARTS = re.compile(r"group|head", re.IGNORECASE)
# A part of a reduced task keeps as many elements as it had, up to so many.
_PART_LENGTH = 8


def literal_integer(node: ast.AST) -> int | None:
    """The value of an integer expression of literals, None where it is anything else."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = literal_integer(node.operand)
        return None if value is None else (-value if isinstance(node.op, ast.USub) else value)
    if isinstance(node, ast.BinOp):
        left, right = literal_integer(node.left), literal_integer(node.right)
        if left is None or right is None:
            return None
        return integer_operation(node.op, left, right)
    return None


def integer_operation(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv) and right != 0:
        return left // right
    if isinstance(operator, ast.Mod) and right != 0:
        return left % right
    if isinstance(operator, ast.Pow) and 0 <= right <= 64:
        return int(left**right)
    if isinstance(operator, ast.LShift) and 0 <= right <= 64:
        return left << right
    if isinstance(operator, ast.RShift) and 0 <= right <= 64:
        return left >> right
    return None


def reduced(value: int, target: int) -> int:
    return target + value % target if value > target else value


def assignments(tree: ast.Module) -> Iterator[tuple[ast.stmt, list[ast.expr], ast.expr]]:
    """The module-level assignments: statement, targets, value."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            yield statement, statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield statement, [statement.target], statement.value


def named_values(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """(name, expression) of one assignment; `a, b = 1, 2` gives two."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
    ):
        for part, expression in zip(target.elts, value.elts, strict=True):
            yield from named_values(part, expression)


def holds_size(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(holds_size(element) for element in node.elts)
    return literal_integer(node) is not None


def rewritten(node: ast.expr, change: Callable[[int], int]) -> ast.expr:
    """`node` with every integer literal expression changed, also inside tuples and lists."""
    value = literal_integer(node)
    if value is not None:
        return ast.copy_location(ast.Constant(change(value)), node)
    if isinstance(node, (ast.Tuple, ast.List)):
        elements = [rewritten(element, change) for element in node.elts]
        return ast.copy_location(type(node)(elts=elements, ctx=ast.Load()), node)
    return node


def overridden(node: ast.expr, value: Any, name: str) -> ast.expr:
    """`node` with its literal integers replaced by those of `value`; other elements of a tuple stay."""
    if isinstance(node, (ast.Tuple, ast.List)):
        if not isinstance(value, (list, tuple)) or len(value) != len(node.elts):
            raise TaskFault(
                "SIZE_INVALID",
                f"size {name} is a sequence of {len(node.elts)} values in this task, not {value!r}",
                place_of(node),
            )
        elements = [
            overridden(e, v, name) if holds_size(e) else e for e, v in zip(node.elts, value, strict=True)
        ]
        return ast.copy_location(type(node)(elts=elements, ctx=ast.Load()), node)
    if isinstance(value, (list, tuple)):
        if literal_integer(node) is not None:
            raise TaskFault(
                "SIZE_INVALID", f"size {name} is one integer in this task, not {value!r}", place_of(node)
            )
        elements = [overridden(node, v, name) for v in value]
        return ast.copy_location(ast.Tuple(elts=elements, ctx=ast.Load()), node)
    if type(value) is not int:
        raise TaskFault("SIZE_INVALID", f"size {name} must be an integer, not {value!r}", place_of(node))
    return ast.copy_location(ast.Constant(value), node)


class Sizes:
    """The size constants of a task text, and the same text with other sizes."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.names: list[str] = []
        self.assigned: list[str] = []
        self._numbers: set[int] = set()
        for _, targets, value in assignments(tree):
            for target in targets:
                for name, expression in named_values(target, value):
                    self.assigned.append(name)
                    number = literal_integer(expression)
                    if number is not None:
                        self._numbers.add(number)
                    if holds_size(expression) and name not in self.names:
                        self.names.append(name)

    @property
    def largest(self) -> int:
        """The largest integer that the reduction rule could change."""
        largest = 0

        def look(value: int) -> int:
            nonlocal largest
            largest = max(largest, value)
            return value

        for _, _, value in assignments(self.tree):
            rewritten(value, look)
        return largest

    def reduced_to(self, target: int) -> ast.Module:
        def change(name: str, expression: ast.expr) -> ast.expr:
            parts = self._parts(name, expression, target)
            if parts is not None:
                return ast.copy_location(ast.Constant(parts), expression)
            return rewritten(expression, lambda value: reduced(value, target))

        return self._with(change)

    def _parts(self, name: str, expression: ast.expr, target: int) -> int | None:
        """The number of groups or heads where they would be left with one element each, which tests no reduction over them."""
        count = literal_integer(expression)
        if count is None or not _PARTS.search(name):
            return None
        wholes = [n for n in self._numbers if n > max(count, target) and count > 0 and n % count == 0]
        if not wholes:
            return None
        left, length = reduced(max(wholes), target), min(max(wholes) // count, _PART_LENGTH)
        return left // length if left < 2 * count and left % length == 0 else None

    def overridden_by(self, sizes: dict[str, Any]) -> ast.Module:
        """Raises TaskFault (SIZE_INVALID) for a name that the module does not assign."""
        for name in sizes:
            if name not in self.assigned:
                known = ", ".join(self.names) or "none"
                raise TaskFault(
                    "SIZE_INVALID",
                    f"a size is given for {name!r}, which is no module constant of the task; its constants are {known}",
                )

        def change(name: str, expression: ast.expr) -> ast.expr:
            return overridden(expression, sizes[name], name) if name in sizes else expression

        return self._with(change)

    def _with(self, change: Callable[[str, ast.expr], ast.expr]) -> ast.Module:
        tree = copy.deepcopy(self.tree)
        for statement, targets, value in assignments(tree):
            changed = value
            for target in targets:
                changed = self._changed(target, changed, change)
            statement.value = changed  # type: ignore[attr-defined]
        return ast.fix_missing_locations(tree)

    def _changed(
        self, target: ast.expr, value: ast.expr, change: Callable[[str, ast.expr], ast.expr]
    ) -> ast.expr:
        if isinstance(target, ast.Name):
            return change(target.id, value)
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
        ):
            elements = [
                self._changed(part, e, change) for part, e in zip(target.elts, value.elts, strict=True)
            ]
            return ast.copy_location(type(value)(elts=elements, ctx=ast.Load()), value)
        return value
