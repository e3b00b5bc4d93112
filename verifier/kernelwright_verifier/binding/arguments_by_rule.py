"""Arguments where the directive lists none: by the rules in the guide to directives."""

from typing import NamedTuple

from kernelwright_backends.core.kernel import Parameter
from kernelwright_verifier.binding.model import BoundArgument
from kernelwright_verifier.binding.pieces import Pieces
from kernelwright_verifier.binding.suggestion import line_of, suggested_args
from kernelwright_verifier.task import expression
from kernelwright_verifier.task.task import TensorSpec

_ELEMENT_COUNTS = ("n", "N", "size", "numel", "num_elements")


class _Taken(NamedTuple):
    """What one parameter takes: a tensor, a list of them, or a number in memory."""

    names: tuple[str, ...]
    listed: bool = False
    number: bool = False


def bind_by_rule(pieces: Pieces, parameters: list[Parameter]) -> list[BoundArgument]:
    inputs = [
        *((a.name, a.tensor) for a in pieces.description.forward if a.tensor is not None),
        *((p.name, p) for p in pieces.description.parameters),
        *((b.name, b) for b in pieces.description.buffers if b.dtype.startswith(("float", "bfloat"))),
    ]
    outputs = [(f"out{i}" if i else "out", o) for i, o in enumerate(pieces.description.outputs)]
    if "out" in {a.name for a in pieces.description.forward}:
        outputs = [(f"out{i}", o) for i, o in enumerate(pieces.description.outputs)]
    assigned = _assign(pieces, parameters, inputs, outputs)
    if assigned is None:
        # What else does not fit is told at once.
        for parameter in parameters:
            if not parameter.pointer and not parameter.tensor:
                _scalar_by_rule(pieces, parameter)
        return []
    bound = []
    for parameter in parameters:
        argument: BoundArgument | None
        if parameter.name in assigned:
            names, listed, number = assigned[parameter.name]
            if listed:
                argument = pieces.list_of(parameter, names, parameter.name)
            elif number:
                argument = pieces.number(parameter, expression.parse(names[0]), names[0])
            else:
                spec = pieces.tensors[names[0]]
                role, output = pieces.role(names[0], spec)
                argument = pieces.tensor(parameter, names[0], spec, role, output, names[0], None)
        else:
            argument = _scalar_by_rule(pieces, parameter)
        if argument is not None:
            bound.append(argument)
    return bound


def _assign(
    pieces: Pieces,
    parameters: list[Parameter],
    inputs: list[tuple[str, TensorSpec]],
    outputs: list[tuple[str, TensorSpec]],
) -> dict[str, _Taken] | None:
    """Tensors to pointer parameters, None (with a finding) where the counts do not agree."""
    if pieces.form == "ascendc" or pieces.npu.is_launcher:
        taking = [p for p in parameters if p.pointer]
        # the fixed order of an operator: inputs, then outputs
        groups = _groups(pieces, [n for n, _ in inputs], [n for n, _ in outputs], len(taking))
        if len(groups) < len(taking):
            numbers = _groups(
                pieces, [n for n, _ in inputs], [n for n, _ in outputs], len(taking), numbers=True
            )
            groups = numbers if len(numbers) == len(taking) else groups
        if len(taking) == len(groups):
            return {p.name: group for p, group in zip(taking, groups, strict=True)}
        _report_count(pieces, f"{len(taking)} pointers", [*inputs, *outputs], taking)
        return None
    if pieces.form == "tensor":
        taking = [p for p in parameters if p.tensor]
        returns_nothing = pieces.entry.return_type.strip() == "void"
        expected = inputs + (outputs if returns_nothing else [])
        if len(taking) == len(expected):
            return {p.name: _Taken((name,)) for p, (name, _) in zip(taking, expected, strict=True)}
        _report_count(pieces, f"{len(taking)} tensor{'s' if len(taking) != 1 else ''}", expected, taking)
        return None
    reading = [p for p in parameters if p.pointer and p.const]
    writing = [p for p in parameters if p.pointer and not p.const]
    if len(reading) == len(inputs) and len(writing) == len(outputs):
        pairs = [*zip(reading, inputs, strict=True), *zip(writing, outputs, strict=True)]
        return {p.name: _Taken((name,)) for p, (name, _) in pairs}
    _report_count(
        pieces,
        f"{len(reading)} const and {len(writing)} non-const pointers",
        [*inputs, *outputs],
        [*reading, *writing],
    )
    return None


def _groups(
    pieces: Pieces, inputs: list[str], outputs: list[str], pointers: int, *, numbers: bool = False
) -> list[_Taken]:
    """What an operator's pointers take, in order: tensors, lists of them, and, if asked for, forward's numbers.

    The elements of a list of forward are one, and a port that the operator's definition calls DYNAMIC takes a list, even of
    one. All outputs that no other port takes are the list of the one that is DYNAMIC, or of the one pointer that is left.
    """
    made: list[_Taken] = []
    member_of = {a.name: a.member_of for a in pieces.description.forward}
    if numbers:
        tensors = {a.name for a in pieces.description.forward if a.tensor is not None}
        others = [name for name in inputs if name not in tensors]
        inputs = [a.name for a in pieces.description.forward if a.kind in ("tensor", "scalar")] + others
    for name in inputs:
        if name not in pieces.tensors:
            made.append(_Taken((name,), number=True))
            continue
        whole = member_of.get(name)
        if whole is None:
            made.append(_Taken((name,)))
        elif name == pieces.lists[whole][0]:
            made.append(_Taken(pieces.lists[whole], listed=True))
    ports = pieces.npu.ports if len(pieces.npu.ports) == pointers else ()
    made = [
        group._replace(listed=True)
        if position < len(ports) and ports[position].dynamic and not group.number
        else group
        for position, group in enumerate(made)
    ]
    known = any(a.kind == "scalar" for a in pieces.description.forward)
    if known and len(made) < sum(port.is_input for port in ports):
        return made  # an input that is no tensor of the task: one of its numbers
    left = ports[len(made) :]
    dynamic = [position for position, port in enumerate(left) if port.dynamic]
    if len(dynamic) == 1 and len(left) <= len(outputs):
        before, behind = dynamic[0], len(left) - dynamic[0] - 1
        end = len(outputs) - behind
        listed = _Taken(tuple(outputs[before:end]), listed=True)
        return [
            *made,
            *(_Taken((n,)) for n in outputs[:before]),
            listed,
            *(_Taken((n,)) for n in outputs[end:]),
        ]
    if not ports and len(pieces.lists) > 1 and len(outputs) > 1 and pointers == len(made) + 1:
        return [*made, _Taken(tuple(outputs), listed=True)]
    return [*made, *(_Taken((name,)) for name in outputs)]


def _report_count(
    pieces: Pieces,
    has: str,
    expected: list[tuple[str, TensorSpec]],
    taking: list[Parameter],
) -> None:
    inputs = list(dict.fromkeys(n.partition("[")[0] for n, _ in expected if not n.startswith("out")))
    surplus = taking[len(expected)] if len(taking) > len(expected) else None
    at = surplus.range if surplus else (taking[-1].range if taking else pieces.entry.name_range)
    outputs = [n for n, _ in expected if n.startswith("out")]
    line, fix = _fix(pieces, list(pieces.entry.parameters))
    pieces.problems.add(
        "BIND_COUNT",
        f"{pieces.entry.name} takes {has}, but the task has {_counted(len(inputs), 'input')} ({', '.join(inputs)})"
        + (f" and {_counted(len(outputs), 'output')}" if outputs else "")
        + f"; write {line}",
        at,
        data=fix,
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _scalar_by_rule(pieces: Pieces, parameter: Parameter) -> BoundArgument | None:
    for argument in (*pieces.description.forward, *pieces.description.init):
        if argument.name == parameter.name and isinstance(argument.value, (bool, int, float)):
            return pieces.scalar(parameter, parameter.name, argument.value)
    if parameter.name in _ELEMENT_COUNTS:
        counts = {
            s.numel
            for s in (
                *(a.tensor for a in pieces.description.forward if a.tensor),
                *pieces.description.outputs,
            )
        }
        tensor = next((a.name for a in pieces.description.forward if a.tensor), None)
        if len(counts) == 1 and tensor is not None:
            return pieces.scalar(parameter, f"{tensor}.numel()", counts.pop())
        reason = "the task's tensors differ in their number of elements"
    else:
        reason = "forward and __init__ have no scalar of this name"
    line, fix = _fix(pieces, list(pieces.entry.parameters))
    pieces.problems.add(
        "BIND_PARAMETER",
        f"no value is known for '{parameter.name}' ({reason}); write {line}",
        parameter.range,
        data=fix,
    )
    return None


def _fix(pieces: Pieces, parameters: list[Parameter]) -> tuple[str, dict[str, object]]:
    """(what to write, as a message says it; the quick fix that writes it): every certain value, and `?` where the user must decide."""
    items = suggested_args(
        [p for p in parameters if not p.stream and p.name not in pieces.given],
        pieces.description,
        list(pieces.tensors),
        [name for name, value in pieces.scope.items() if isinstance(value, bool | int | float)],
    )
    return line_of(items, pieces.description), {
        "fix": "directive",
        "args": ", ".join(items),
        "entry": pieces.name,
    }
