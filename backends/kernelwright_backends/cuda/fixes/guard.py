"""Guards an index that is out of bounds."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import Edit, SuggestedFix
from kernelwright_backends.cuda.fixes.elements import (
    array_of,
    element_type,
    index_of,
    integer_parameters,
    is_read,
    term,
)
from kernelwright_backends.cuda.fixes.source import BODIES, LOOPS, Source, ancestors, around_or_in, climb
from kernelwright_backends.cuda.fixes.threads import threads_wait
from kernelwright_backends.syntax.text import walk

_COUNTS = ("n", "N", "size", "numel", "num_elements", "length", "len", "count", "total")


def guard_index(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """An index that reaches past the end: `i <= n` becomes `i < n`, or what uses it is done only for `i < n`."""
    if finding.data.get("space") not in (None, "", "global"):
        return
    if finding.data.get("object_bytes") == 0:
        return  # near no allocation: the index is wrong, not too large
    subscript = next(around_or_in(source.at(finding.range), "subscript_expression"), None)
    function = climb(subscript, "function_definition", "lambda_expression")
    if subscript is None or function is None:
        return
    index = index_of(source, subscript)
    if index is None:
        return
    loose = _loose_comparison(source, subscript, index)
    if loose is not None:
        bound = source.text(loose.children[2])
        yield SuggestedFix(title=f"Compare with < {bound}", edits=(source.replace(loose.children[1], "<"),))
        return
    if int(finding.data.get("offset_bytes", 0) or 0) < 0:
        yield from _from_the_start(source, function, subscript, index)
        return
    condition = _inside(source, function, subscript, index)
    if condition is not None and _is_asked(source, subscript, condition):
        return  # that guard is there: the extent is another
    statement = climb(subscript, "expression_statement", "declaration")
    if condition is None or statement is None or threads_wait(source, statement):
        return
    read = is_read(subscript, statement)
    waits = threads_wait(source, function)
    if statement.type == "expression_statement":
        if not (read and waits):
            yield SuggestedFix(
                title=f"Guard with if ({condition})", edits=_guarded(source, statement, f"if ({condition}) ")
            )
            return
    elif _may_leave(source, function, statement) and not waits:
        # A declaration cannot be guarded alone. With a barrier after it, a thread that leaves would be missing there.
        text = f"if (!({condition})) return;" if "&&" in condition else f"if ({_not(condition)}) return;"
        yield SuggestedFix(title=f"Return first: {text}", edits=(source.before(statement, text),))
        return
    zero = _zero(source, function, subscript) if read else None
    if zero is not None:
        # What waits for others, or goes on with the next element, must not leave: it reads a zero instead.
        text = f"({condition} ? {source.text(subscript)} : {zero})"
        yield SuggestedFix(title=f"Read 0 past the end: {text}", edits=(source.replace(subscript, text),))


def _from_the_start(source: Source, function: Node, subscript: Node, index: str) -> Iterator[SuggestedFix]:
    """`x[i - 1]` of the first element: what lies before the beginning is read as zero."""
    statement = climb(subscript, "expression_statement", "declaration")
    if statement is None or not is_read(subscript, statement) or re.search(r"\+\+|--|[(=]", index):
        return
    zero = _zero(source, function, subscript)
    if zero is not None:
        text = f"({index} >= 0 ? {source.text(subscript)} : {zero})"
        yield SuggestedFix(title=f"Read 0 before the start: {text}", edits=(source.replace(subscript, text),))


def _is_asked(source: Source, inside: Node, condition: str) -> bool:
    """Whether a condition around a place compares the same thing with some bound already."""
    left = condition.split(" < ", 1)[0].strip("()")
    asked = re.compile(rf"(?<![\w.]){re.escape(left)}\s*<(?![<=])")
    below = inside
    for around in ancestors(inside):
        before, below = below, around
        asks = around.child_by_field_name("condition") if around.type == "if_statement" else None
        if asks is None or before == around.child_by_field_name("alternative"):
            continue
        if before != asks and (
            condition in source.text(asks) or ("&&" not in condition and asked.search(source.text(asks)))
        ):
            return True
    return False


def _inside(source: Source, function: Node, subscript: Node, index: str) -> str | None:
    """The condition under which an index lies within; None where nobody can tell, or asking twice would not be the same."""
    place = next(c for c in subscript.children if c.type == "subscript_argument_list").named_children[0]
    if any(
        node.type in ("update_expression", "assignment_expression", "call_expression") for node in walk(place)
    ):
        return None
    integers = integer_parameters(source, function)
    matrix = _row_and_column(source, place, integers)
    if matrix is not None:
        return matrix
    if any(node.type == "subscript_expression" for node in walk(place)):
        return None  # an index that was loaded counts something else
    count = _count_parameter(integers)
    if count is None or re.search(rf"\b{count}\b", index):
        # What the index is made of is no number of elements.
        return None
    plain = re.fullmatch(r"[A-Za-z_][\w.]*", index) is not None
    return f"{index if plain else f'({index})'} < {count}"


def _row_and_column(source: Source, place: Node, integers: list[str]) -> str | None:
    """`row < rows && column < columns` of `row * columns + column`: with one extent of a square matrix, or with both."""
    if place.type != "binary_expression" or source.text(place.children[1]) != "+" or not integers:
        return None
    product, column = place.children[0], place.children[2]
    while product.type == "parenthesized_expression":
        product = product.named_children[0]
    if product.type != "binary_expression" or source.text(product.children[1]) != "*":
        return None
    row, columns = product.children[0], product.children[2]
    if source.text(row) in integers:
        row, columns = columns, row
    extent = source.text(columns)
    if extent not in integers:
        return None
    if len(integers) > 2:  # nobody can tell which one counts the rows
        return f"{term(source, column)} < {extent}"
    rows = next((name for name in integers if name != extent), extent)
    return f"{term(source, row)} < {rows} && {term(source, column)} < {extent}"


def _not(condition: str) -> str:
    left, _, right = condition.rpartition(" < ")
    return f"{left} >= {right}"


def _guarded(source: Source, statement: Node, guard: str) -> tuple[Edit, ...]:
    """The guard before a statement; in braces where an `else` after it would otherwise become the guard's."""
    parent = statement.parent
    if (
        parent is not None
        and parent.type == "if_statement"
        and statement == parent.child_by_field_name("consequence")
    ):
        return (source.insert(statement.start_byte, "{ " + guard), source.insert(statement.end_byte, " }"))
    return (source.insert(statement.start_byte, guard),)


def _zero(source: Source, function: Node, subscript: Node) -> str | None:
    """A zero of what an array parameter holds; None for vectors and what else has none."""
    word = element_type(source, function, source.text(array_of(subscript))) or ""
    if re.fullmatch(
        r"(unsigned |signed )?(float|double|int|char|short|long|unsigned|u?int\d+_t|size_t)", word
    ):
        return "0"
    return f"{word}(0)" if re.fullmatch(r"[A-Za-z_]\w*[A-Za-z_]|[A-Z]", word) else None


def _may_leave(source: Source, function: Node, statement: Node) -> bool:
    """Whether a `return` may stand before a statement: of a function without a value, outside of loops."""
    kind = function.child_by_field_name("type")
    return (
        statement.parent is not None
        and statement.parent.type in BODIES
        and kind is not None
        and source.text(kind) == "void"
        and not any(around.type in LOOPS for around in ancestors(statement))
    )


def _loose_comparison(source: Source, inside: Node, index: str) -> Node | None:
    """`index <= bound` in a condition around the access."""
    below = inside
    for around in ancestors(inside):
        condition, before = around.child_by_field_name("condition"), below
        below = around
        if around.type == "function_definition" or condition is None:
            continue
        if around.type == "if_statement" and before == around.child_by_field_name("alternative"):
            continue  # there the comparison does not hold
        for node in walk(condition):
            if node.type == "binary_expression" and len(node.children) == 3:
                left, operator, bound = node.children
                exact = "-" not in source.text(bound)
                if operator.type == "<=" and source.text(left) == index and exact:
                    return node
    return None


def _count_parameter(integers: list[str]) -> str | None:
    """The parameter that says how many elements there are: by its name, or the only integer."""
    named = [name for name in integers if name in _COUNTS]
    if len(named) == 1:
        return named[0]
    return integers[0] if len(integers) == 1 else None
