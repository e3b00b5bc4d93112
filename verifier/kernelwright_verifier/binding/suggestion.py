"""The `args` that would bind an entry: every value that is certain, and `?` where only its author knows."""

import re
from collections.abc import Sequence

from kernelwright_backends.core.kernel import Parameter
from kernelwright_verifier.task.task import TaskDescription

UNKNOWN = "?"
_MOST_SIZES = 4
# What authors put round a tensor's name: d_x, x_ptr, xGm.
_AROUND = re.compile(r"^(?:d|p|g|dev|ptr)_|_(?:ptr|d|dev|data|gm)$|(?:Ptr|Gm|GM)$")


def suggested_args(
    parameters: Sequence[Parameter],
    description: TaskDescription,
    tensors: Sequence[str],
    numbers: Sequence[str],
) -> list[str]:
    """One item for each of the parameters.

    Args:
        tensors: names that `args` may hold for pointers and tensors.
        numbers: names that it may hold for numbers.
    """
    outputs = [name for name in tensors if name in ("out", "outs") or re.fullmatch(r"out\d+", name)]
    inputs = [name for name in tensors if name not in outputs]
    pointers = [p for p in parameters if p.pointer]
    written = [p for p in pointers if not p.const]
    items: list[str] = []
    for parameter in parameters:
        if parameter.pointer or parameter.tensor:
            found = _named(parameter.name, inputs) or _named(parameter.name, outputs)
            # The one pointer that may be written, or, where none says that it is only read, the last one.
            is_output = written == [parameter] or (written == pointers and parameter in pointers[-1:])
            if found is None and parameter.pointer and is_output and len(description.outputs) == 1:
                found = next((name for name in ("out", "out0") if name in outputs), None)
        else:
            found = parameter.name if parameter.name in numbers else None
        items.append(found if found is not None and found not in items else UNKNOWN)
    return items


def line_of(items: Sequence[str], description: TaskDescription) -> str:
    """How a message says what to write, without its first word."""
    said = f'args="{", ".join(items)}" in the directive'
    if UNKNOWN not in items:
        return said
    sizes = [
        f"{a.name}.shape[{axis}]"
        for a in description.forward
        if a.tensor is not None
        for axis in range(len(a.tensor.shape))
    ][:_MOST_SIZES]
    offered = f", such as {' or '.join(sizes)} for a size" if sizes else ""
    return f"{said}, with a value for each ?{offered}"


def _named(parameter: str, names: Sequence[str]) -> str | None:
    """The one of the names that a parameter is called by, as a whole or by its last part."""
    wanted = _plain(parameter)
    whole = [name for name in names if _plain(name) == wanted]
    last = [name for name in names if _plain(name.rpartition(".")[2]) == wanted]
    for found in (whole, last):
        if len(found) == 1:
            return found[0]
    return None


def _plain(name: str) -> str:
    return _AROUND.sub("", name).replace("_", "").replace(".", "").lower()
