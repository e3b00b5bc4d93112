"""What the expressions of a directive may name, and their values at the sizes of a task."""

from collections.abc import Mapping

from kernelwright_verifier.task import expression
from kernelwright_verifier.task.expression import ExpressionError, Shaped, Value
from kernelwright_verifier.task.task import TaskDescription, TensorSpec


def scope_of(description: TaskDescription) -> dict[str, Value | Shaped]:
    """Every name that an expression of the directive may use."""
    scope: dict[str, Value | Shaped] = {}
    for name, value in description.constants.items():
        if isinstance(value, (bool, int, float)) or (isinstance(value, (list, tuple)) and _numbers(value)):
            scope[name] = tuple(value) if isinstance(value, list) else value
    scope |= tensors_of(description)
    for argument in (*description.init, *description.forward):
        if argument.tensor is None and isinstance(argument.value, (bool, int, float, tuple)):
            scope[argument.name] = argument.value
    return scope


def tensors_of(description: TaskDescription) -> dict[str, TensorSpec]:
    """Every tensor by the name that `args` gives it.

    A number of `__init__` may bear the name of the parameter that is made of it (`self.scale = nn.Parameter(...(scale))`):
    where a pointer or a tensor is due the parameter is meant, elsewhere the number.
    """
    tensors = {spec.name: spec for spec in (*description.buffers, *description.parameters)}
    tensors |= {f"out{position}": output for position, output in enumerate(description.outputs)}
    if description.outputs:
        tensors["out"] = description.outputs[0]
    arguments = (*description.init, *description.forward)
    return tensors | {argument.name: argument.tensor for argument in arguments if argument.tensor is not None}


def lists_of(description: TaskDescription) -> dict[str, tuple[str, ...]]:
    """Every list of tensors of forward, with the names of its elements; `outs` is that of all outputs."""
    lists: dict[str, tuple[str, ...]] = {
        "outs": tuple(f"out{position}" for position, _ in enumerate(description.outputs))
    }
    for argument in description.forward:
        if argument.member_of is not None:
            lists[argument.member_of] = (*lists.get(argument.member_of, ()), argument.name)
    return lists


def words_of(description: TaskDescription) -> dict[str, str]:
    """Every argument that is text, by its name."""
    arguments = (*description.init, *description.forward)
    return {a.name: a.value for a in arguments if isinstance(a.value, str)}


def _numbers(values: list[object] | tuple[object, ...]) -> bool:
    return all(isinstance(v, (bool, int, float)) for v in values)


def launch_value(text: str, key: str, description: TaskDescription) -> tuple[int, int, int]:
    """The value of grid or block (one to three whole numbers) or smem (one) at the sizes of a description.

    Raises:
        ExpressionError: the text cannot be evaluated, or is not one to three whole numbers.
    """
    value = expression.evaluate(expression.parse(text), scope_of(description))
    values = value if isinstance(value, tuple) else (value,)
    single = key in ("smem", "block_dim")
    if not 1 <= len(values) <= (1 if single else 3) or any(isinstance(v, (tuple, float)) for v in values):
        raise ExpressionError(
            f"'{text}' must be {'one whole number' if single else 'one to three whole numbers'}",
            0,
            len(text),
        )
    whole = [int(v) for v in values if not isinstance(v, tuple)]
    padded = [*whole, 1, 1][:3]
    return padded[0], padded[1], padded[2]


def scalar_value(text: str, scope: Mapping[str, Value | Shaped]) -> int | float | bool:
    """The value of a scalar argument.

    Raises:
        ExpressionError: as `expression.evaluate`, or the value is a tuple.
    """
    value = expression.evaluate(expression.parse(text), scope)
    if isinstance(value, tuple):
        raise ExpressionError(f"'{text}' is a tuple where one number is expected", 0, len(text))
    return value
