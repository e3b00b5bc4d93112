"""What a memory access comes to, for the hover on it: sectors of a warp's request, passes of shared memory."""

from collections.abc import Iterator

from kernelwright_backends.core.finding import Range
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.views.markdown import code
from kernelwright_verifier.results.evidence import Access


def access_hover(kernel: KernelDocument, line: int, column: int) -> tuple[str, Range] | None:
    """The text for a place (both from 1) and the expression that it is about; None where nothing is known of it."""
    here = list(_at(kernel, line, column))
    if not here:
        return None
    smallest = min((at for at, _ in here), key=_extent)
    rows = [access for at, access in here if at == smallest]
    lines = [f"- **{_units(a)}** per warp request{_ideal(a)} · {_what(a)}" for a in rows]
    requests = sum(a.requests for a in rows)
    note = f"In {code(rows[0].kernel)}, counted over {requests} requests of the traced blocks at full size."
    return "\n".join((*lines, "", note)), smallest


def _at(kernel: KernelDocument, line: int, column: int) -> Iterator[tuple[Range, Access]]:
    for plan in kernel.plans():
        outcome = kernel.outcome(plan) or kernel.outcomes.get((plan.entry_name, str(plan.target)))
        if outcome is None or outcome.verdict is None:
            continue
        shift = kernel.shift_from(outcome.text)
        for access in outcome.verdict.accesses:
            if access.path != str(kernel.path):
                continue
            first, last = shift.line(access.range.line), shift.line(access.range.end_line)
            if first is None or last is None:
                continue
            at = _whole(kernel, access.range.model_copy(update={"line": first, "end_line": last}))
            if (at.line, at.column) <= (line, column) <= (at.end_line, at.end_column):
                yield at, access


def _whole(kernel: KernelDocument, at: Range) -> Range:
    """The whole of what a compiler means by a name: of `v` in `items[i].v` the member's expression, of the variable that is
    declared also the value that it gets."""
    content = kernel.document.content

    def point(line: int, column: int) -> tuple[int, int]:
        return line - 1, len(content.line(line - 1)[: column - 1].encode("utf-8", "surrogatepass"))

    def place(row: int, column: int) -> tuple[int, int]:
        before = content.line(row).encode("utf-8", "surrogatepass")[:column]
        return row + 1, len(before.decode("utf-8", "replace")) + 1

    start, end = point(at.line, at.column), point(at.end_line, at.end_column)
    named = kernel.syntax.tree.root_node.descendant_for_point_range(start, end)
    around = named.parent if named is not None else None
    if named is None or around is None or (named.start_point, named.end_point) != (start, end):
        return at
    member = around.type == "field_expression" and named.type == "field_identifier"
    declared = around.type == "init_declarator" and named == around.child_by_field_name("declarator")
    if not (member or declared):
        return at
    (line, column), (end_line, end_column) = place(*around.start_point), place(*around.end_point)
    return Range(line=line, column=column, end_line=end_line, end_column=end_column)


def _extent(at: Range) -> tuple[int, int]:
    return at.end_line - at.line, at.end_column - at.column


def _what(access: Access) -> str:
    of = f" of {code(access.tensor)}" if access.tensor else ""
    return f"{access.how}{of}, {access.space} memory"


def _ideal(access: Access) -> str:
    enough = access.per_request <= access.ideal_per_request * 1.01
    return ", the minimum" if enough else f", minimum {access.ideal_per_request:.3g}"


def _units(access: Access) -> str:
    if access.space == "shared":
        degree = access.per_request / access.ideal_per_request if access.ideal_per_request else 1.0
        conflicts = f"{degree:.3g}-way bank conflicts" if degree > 1.01 else "no bank conflicts"
        passes = "pass" if access.per_request == 1 else "passes"
        return f"{access.per_request:.3g} {passes}, {conflicts}"
    return f"{access.per_request:.3g} sectors of 32 bytes"
