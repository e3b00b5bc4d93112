"""Walks an entry's parameters and finds for each what the task gives it: as the directive lists them, else by the rules."""

from kernelwright_backends.core.kernel import Function
from kernelwright_backends.interfaces.build import EntryCall
from kernelwright_verifier.binding.arguments_by_rule import bind_by_rule
from kernelwright_verifier.binding.launch_values import launch_values
from kernelwright_verifier.binding.listed_arguments import bind_listed
from kernelwright_verifier.binding.model import Binding, BindingFailed, BoundArgument, slot_of
from kernelwright_verifier.binding.pieces import Pieces
from kernelwright_verifier.task import expression
from kernelwright_verifier.task.directive import Directive
from kernelwright_verifier.task.expression import ExpressionError
from kernelwright_verifier.task.task import TaskDescription


def bind(
    entry: Function,
    directive: Directive | None,
    description: TaskDescription,
    path: str,
    written_name: str | None = None,
) -> Binding:
    """Bind an entry to its task.

    Args:
        entry: the function to call; its form decides how outputs come back.
        directive: says `args`, `grid`, `block`, `smem`; None binds by the rules alone.
        written_name: the entry as the directive spells it, with its template arguments.

    Raises:
        BindingFailed: with a `BIND_*` finding for each parameter that does not fit.
    """
    pieces = Pieces(entry, directive, description, path, written_name or entry.qualified_name)
    parameters = list(entry.parameters)
    stream = parameters.pop() if parameters and parameters[-1].stream else None
    args = directive.get("args") if directive else None
    given = pieces.npu.given(parameters, args)
    pieces.given = frozenset(given)
    listed = [p for p in parameters if p.name not in given]
    bound = bind_listed(pieces, listed, args) if args is not None else bind_by_rule(pieces, listed)
    if given and len(bound) == len(listed):
        by_name = dict(zip((p.name for p in listed), bound, strict=True))
        bound = [given.get(p.name) or by_name[p.name] for p in parameters]
    if args is None:
        bound = pieces.npu.with_shared(bound)
    bound = pieces.npu.with_zeroed([piece for one in bound for piece in one.members or (one,)])
    if stream is not None:
        bound.append(BoundArgument(slot=slot_of(stream, "stream", None), role="stream"))
    grid, block, smem = launch_values(pieces)
    returned: tuple[int, ...] = ()
    if not pieces.problems.findings:
        returned = _returned(pieces, bound)
    elif args is not None and all(f.code != "BIND_COUNT" for f in pieces.problems.findings):
        _report_unnamed(pieces, args)
    if pieces.problems.findings:
        raise BindingFailed(pieces.problems.findings)
    call = EntryCall(
        entry=pieces.name,
        form=pieces.form,
        slots=tuple(argument.slot for argument in bound),
        returns=len(returned),
    )
    return Binding(
        call=call,
        arguments=tuple(bound),
        returned=returned,
        grid=grid,
        block=block,
        smem=smem,
        notes=tuple(pieces.notes),
    )


def _report_unnamed(pieces: Pieces, args: str) -> None:
    """Outputs that a list which does not fit does not name either: told with what else is wrong."""
    if pieces.form == "tensor" and pieces.entry.return_type.strip() != "void":
        return
    try:
        items = expression.parse_list(args)
    except ExpressionError:
        return
    named = {name.name for item in items for name in expression.names(item)}
    changed = sum(isinstance(item, expression.FunctionCall) and item.function == "inout" for item in items)
    first = {"out"} if "out" in pieces.tensors else set[str]()
    missing = [
        f"out{i}"
        for i in range(len(pieces.description.outputs))
        if not named & {f"out{i}", "outs", *(first if i == 0 else ())}
    ]
    if "outs" not in named and len(missing) > changed:
        _report_missing(pieces, missing)


def _returned(pieces: Pieces, bound: list[BoundArgument]) -> tuple[int, ...]:
    filled = {argument.output for argument in bound if argument.output is not None}
    missing = [i for i in range(len(pieces.description.outputs)) if i not in filled]
    if pieces.form == "tensor" and pieces.entry.return_type.strip() != "void":
        return tuple(missing)
    if missing:
        _report_missing(pieces, [f"out{i}" for i in missing])
    return ()


def _report_missing(pieces: Pieces, outputs: list[str]) -> None:
    pieces.problems.add(
        "BIND_COUNT",
        f"args gives {pieces.entry.name} no buffer for {', '.join(outputs)}; list every output",
        pieces.problems.place("args")
        if pieces.directive and pieces.directive.get("args")
        else pieces.entry.name_range,
    )
