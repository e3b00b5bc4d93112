"""What a task requires of its inputs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from .faults import TaskFault, place_of
from .structure import Structure

# Among the values that a condition is held against: what the task itself made, by name. No condition can name it.
OWN = "the task's own"


class Precondition:
    """`requires` of a task: a condition over its tensors and constants, evaluated element by element.

    Beside comparisons and arithmetic it knows `sorted(x)` and `sorted(x, dim)` (never falling), `probabilities(x)` and
    `probabilities(x, dim)` (not negative, sums of one) and `unique(x)`, each over the last dimension unless given, and `given(x)`:
    `x` holds what the task itself makes, a table.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except SyntaxError as error:
            raise TaskFault(
                "TASK_INVALID", f"requires[{name!r}] is not a valid condition ({error.msg}): {text!r}"
            ) from None

    def holds(self, values: dict[str, Any]) -> bool:
        return bool(torch.as_tensor(self.value(self.tree, values)).all())

    def bounds(self, values: dict[str, Any]) -> tuple[Any | None, Any | None]:
        """Lower and upper bound of the named tensor, from chains of comparisons around it."""
        low = high = None
        conditions = self.tree.values if isinstance(self.tree, ast.BoolOp) else [self.tree]
        for condition in conditions:
            if not isinstance(condition, ast.Compare):
                continue
            terms = [condition.left, *condition.comparators]
            for left, operator, right in zip(terms, condition.ops, terms[1:], strict=False):
                if isinstance(operator, (ast.Gt, ast.GtE)):
                    left, right = right, left
                elif not isinstance(operator, (ast.Lt, ast.LtE)):
                    continue
                if isinstance(right, ast.Name) and right.id == self.name:
                    low = self.value(left, values)
                if isinstance(left, ast.Name) and left.id == self.name:
                    high = self.value(right, values)
        return low, high

    @property
    def tables(self) -> set[str]:
        """The tensors that hold what the task makes."""
        return {ast.unparse(call.args[0]) for call in self.calls_of("given") if call.args}

    def check(self, tensors: Sequence[str], inputs: Sequence[str], tree: ast.Module) -> None:
        """See that it is about one of the task's `inputs` and `tensors`, and that each table is one of the latter.

        Args:
            tree: of the task's file, where a condition that stands there is pointed at.
        """
        if self.name.partition("[")[0] not in {*inputs, *tensors}:
            given = list(dict.fromkeys((*inputs, *tensors)))
            there = f"; the inputs are {', '.join(given)}" if given else ""
            raise TaskFault(
                "TASK_INVALID",
                f"requires[{self.name!r}] names no input of the task{there}",
                _place_of_key(tree, self.name),
            )
        for call in self.calls_of("given"):
            if len(call.args) != 1 or call.keywords:
                raise self.unreadable(f"{ast.unparse(call)} takes one tensor")
        for name in sorted(self.tables - set(tensors)):
            raise self.unreadable(f"given({name}): the task's tensors are {', '.join(tensors)}")

    def calls_of(self, function: str) -> Iterator[ast.Call]:
        return (n for n in ast.walk(self.tree) if isinstance(n, ast.Call) and _calls(n, function))

    @property
    def names(self) -> set[str]:
        """Everything that the condition mentions."""
        return {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}

    def repaired(self, values: Any, known: dict[str, Any]) -> Any:
        """`values` for the named tensor, in float64, moved to where the condition holds if that can be seen from it."""
        low, high = self.bounds({**known, self.name: values})
        if low is not None or high is not None:
            position = torch.sigmoid(values.clamp(-30, 30) / (Structure(values).deviation or 1.0))
            if low is not None and high is not None:
                values = low + (high - low) * (0.001 + 0.998 * position)
            elif low is not None:
                values = low + 1e-3 + values.abs()
            elif high is not None:
                values = high - 1e-3 - values.abs()
        for name, dim in self.properties(known):
            if values.ndim == 0:
                continue
            if name == "sorted":
                values = values.sort(dim).values
            elif name == "probabilities":
                values = torch.softmax(values.clamp(-30, 30), dim)
        return values

    def properties(self, values: dict[str, Any]) -> list[tuple[str, int]]:
        """(property, dimension) of the calls such as `sorted(x)` about the named tensor."""
        found = []
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in PROPERTIES
                and node.args
                and isinstance(node.args[0], ast.Name)
                and node.args[0].id == self.name
            ):
                found.append((node.func.id, self.dimension(node, values)))
        return found

    def dimension(self, node: ast.Call, values: dict[str, Any]) -> int:
        dim = self.value(node.args[1], values) if len(node.args) > 1 else -1
        if len(node.args) > 2 or not isinstance(dim, int):
            raise self.unreadable(f"{ast.unparse(node)} takes a tensor and, at most, a dimension")
        return dim

    def value(self, node: ast.AST, values: dict[str, Any]) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, bool)):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in values:
                return widened(values[node.id])
            raise self.unreadable(f"unknown name {node.id}")
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim"):
            return getattr(self.value(node.value, values), node.attr)
        if isinstance(node, ast.Subscript):
            return self.value(node.value, values)[self.value(node.slice, values)]
        if isinstance(node, ast.UnaryOp):
            operand = self.value(node.operand, values)
            if isinstance(node.op, ast.Not):
                return torch.as_tensor(operand).logical_not()
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](self.value(node.left, values), self.value(node.right, values))
        if isinstance(node, ast.BoolOp):
            parts = [torch.as_tensor(self.value(part, values)).all() for part in node.values]
            return torch.stack(parts).all() if isinstance(node.op, ast.And) else torch.stack(parts).any()
        if isinstance(node, ast.Compare):
            terms = [self.value(term, values) for term in (node.left, *node.comparators)]
            parts = []
            for left, operator, right in zip(terms, node.ops, terms[1:], strict=False):
                if type(operator) not in COMPARISONS:
                    raise self.unreadable("only the comparisons < <= > >= == != are allowed")
                parts.append(torch.as_tensor(COMPARISONS[type(operator)](left, right)).all())
            return torch.stack(parts).all()
        if isinstance(node, ast.Call) and not node.keywords:
            return self.call(node, values)
        raise self.unreadable(f"{type(node).__name__} is not allowed")

    def call(self, node: ast.Call, values: dict[str, Any]) -> Any:
        if _calls(node, "given"):
            return self.holds_own(ast.unparse(node.args[0]), values)
        arguments = [self.value(a, values) for a in node.args]
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "numel",
            "abs",
            "sum",
            "min",
            "max",
            "size",
            "stride",
        ):
            return getattr(self.value(node.func.value, values), node.func.attr)(*arguments)
        if isinstance(node.func, ast.Name) and node.func.id in ("abs", "min", "max", "sum"):
            if len(arguments) == 1 and isinstance(arguments[0], torch.Tensor):
                return getattr(arguments[0], node.func.id)()
            functions: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max, "sum": sum}
            return functions[node.func.id](*arguments)
        if isinstance(node.func, ast.Name) and node.func.id in PROPERTIES and arguments:
            if not isinstance(arguments[0], torch.Tensor):
                raise self.unreadable(f"{node.func.id} takes a tensor")
            dim = self.dimension(node, values)
            return arguments[0].ndim == 0 or PROPERTIES[node.func.id](arguments[0], dim)
        known = f"abs, min, max, sum, numel, size, stride, given, {', '.join(PROPERTIES)}"
        raise self.unreadable(f"only these functions can be called: {known}")

    def holds_own(self, name: str, values: dict[str, Any]) -> bool:
        """Whether a tensor holds what the task makes."""
        tensor = values.get(name)
        if not isinstance(tensor, torch.Tensor):
            raise self.unreadable(f"{name} is not a tensor of the task")
        own = values[OWN].get(name, tensor)
        return tensor is own or bool(torch.equal(tensor, own))

    def unreadable(self, why: str) -> TaskFault:
        return TaskFault("TASK_INVALID", f"requires[{self.name!r}] = {self.text!r}: {why}")


def _place_of_key(tree: ast.Module, name: str) -> dict[str, int] | None:
    """Where the task's own file says `requires = {name: ...}`."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="requires")], value=ast.Dict(keys=keys)):
                for key in keys:
                    if isinstance(key, ast.Constant) and key.value == name:
                        return place_of(key)
    return None


def _calls(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def widened(value: Any) -> Any:
    """Integers in 64 bits: 256 is no number of a byte, and compared with one it would be nought."""
    if isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex()):
        return value if value.dtype is torch.bool else value.long()
    return value


def never_falls(tensor: Any, dim: int) -> bool:
    size = tensor.shape[dim]
    return size < 2 or bool((tensor.narrow(dim, 1, size - 1) >= tensor.narrow(dim, 0, size - 1)).all())


def sums_of_one(tensor: Any, dim: int) -> bool:
    # A sum of n rounded terms is off by some roundings: a bound that float16 keeps too.
    return bool((tensor >= 0).all()) and bool(((tensor.double().sum(dim) - 1).abs() < 1e-2).all())


def all_different(tensor: Any, dim: int) -> bool:
    ordered = tensor.sort(dim).values
    size = tensor.shape[dim]
    return size < 2 or bool((ordered.narrow(dim, 1, size - 1) != ordered.narrow(dim, 0, size - 1)).all())


PROPERTIES: dict[str, Callable[[Any, int], bool]] = {
    "sorted": never_falls,
    "probabilities": sums_of_one,
    "unique": all_different,
}
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
}
COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
