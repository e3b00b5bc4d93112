"""Mechanical repairs of findings in CUDA sources: the guard, the barrier, the padding, the mask, the error check.

Each is a small edit that a person would make without thinking, derived from the syntax tree around the finding. Nothing here
knows whether it helps: who offers a repair verifies it first, or says that nobody has.
"""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.rewrite import parse
from kernelwright_backends.cuda.cpu.text import Lines, walk
from kernelwright_backends.finding import Finding, Range
from kernelwright_backends.mend import Edit, Mend

_COUNTS = ("n", "N", "size", "numel", "num_elements", "length", "len", "count", "total")
_INTEGER = re.compile(r"\b(int|unsigned|long|short|size_t|u?int(8|16|32|64)_t)\b")
_BARRIER = "__syncthreads();"
_FULL_MASK = "0xffffffff"
_BODIES = ("compound_statement", "case_statement")
_LOOPS = ("for_statement", "while_statement", "do_statement")


def mends(text: str, finding: Finding) -> tuple[Mend, ...]:
    """The repairs that a finding in `text` has; most have none."""
    mender = _MENDERS.get(finding.code)
    if mender is None:
        return ()
    return tuple(mender(_Source(text), finding))


class _Source:
    """A text with its tree, places of findings as nodes, nodes as edits."""

    def __init__(self, text: str) -> None:
        self.bytes = text.encode("utf-8", "surrogatepass")
        self.lines = Lines(self.bytes)
        self.root = parse(self.bytes).root_node
        self._texts = text.split("\n")

    def offset(self, line: int, column: int) -> int:
        """In bytes, of a line and a column in code points."""
        if line > len(self._texts):
            return len(self.bytes)
        before = self._texts[line - 1][: column - 1]
        return self.lines.offset(line, len(before.encode("utf-8", "surrogatepass")) + 1)

    def text(self, node: Node) -> str:
        return self.bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def at(self, place: Range) -> Node | None:
        start = self.offset(place.line, place.column)
        end = max(start, self.offset(place.end_line, place.end_column) - 1)
        return self.root.descendant_for_byte_range(start, end)

    def on_line(self, line: int, column: int) -> Node | None:
        start = self.offset(line, column)
        return self.root.descendant_for_byte_range(start, start)

    def replace(self, node: Node, text: str) -> Edit:
        return Edit(range=self.lines.range(node.start_byte, node.end_byte), text=text)

    def insert(self, at: int, text: str) -> Edit:
        return Edit(range=self.lines.range(at, at), text=text)

    def before(self, statement: Node, text: str) -> Edit:
        """`text` as a line of its own before a statement, indented as that is."""
        return self.insert(statement.start_byte, f"{text}\n{self.indent(statement)}")

    def after(self, statement: Node, text: str) -> Edit:
        return self.insert(statement.end_byte, f"\n{self.indent(statement)}{text}")

    def indent(self, node: Node) -> str:
        start = self.bytes.rfind(b"\n", 0, node.start_byte) + 1
        line = self.bytes[start : node.start_byte].decode("utf-8", "replace")
        return line[: len(line) - len(line.lstrip())]


def _climb(node: Node | None, *types: str) -> Node | None:
    while node is not None and node.type not in types:
        node = node.parent
    return node


def _around_or_in(node: Node | None, type: str) -> Iterator[Node]:
    """The nearest node of a type around a place; where there is none, those within, since a compiler may mean a whole
    assignment or call by its place.
    """
    around = _climb(node, type)
    if around is not None:
        yield around
    elif node is not None and node.type not in _BODIES:
        yield from (inner for inner in walk(node) if inner.type == type)


def _ancestors(node: Node) -> list[Node]:
    """The node itself first, the root last."""
    found = []
    here: Node | None = node
    while here is not None:
        found.append(here)
        here = here.parent
    return found


# ---- the guard ---------------------------------------------------------------------------------------------


def _guard(source: _Source, finding: Finding) -> Iterator[Mend]:
    """An index that reaches past the end: `i <= n` becomes `i < n`, or what uses it is done only for `i < n`."""
    if finding.data.get("space") not in (None, "", "global"):
        return
    subscript = next(_around_or_in(source.at(finding.range), "subscript_expression"), None)
    function = _climb(subscript, "function_definition")
    if subscript is None or function is None:
        return
    index = _index_of(source, subscript)
    if index is None:
        return
    loose = _loose_comparison(source, subscript, index)
    if loose is not None:
        bound = source.text(loose.children[2])
        yield Mend(title=f"Compare with < {bound}", edits=(source.replace(loose.children[1], "<"),))
        return
    count = _count_parameter(source, function)
    statement = _climb(subscript, "expression_statement", "declaration")
    if count is None or statement is None:
        return
    condition = index if re.fullmatch(r"\w+", index) else f"({index})"
    if statement.type == "expression_statement":
        edit = source.insert(statement.start_byte, f"if ({condition} < {count}) ")
        yield Mend(title=f"Guard it: if ({condition} < {count})", edits=(edit,))
    elif (
        statement.parent is not None
        and statement.parent.type in _BODIES
        and not _has_barrier(source, function)
    ):
        # A declaration cannot be guarded alone. With a barrier behind it, a thread that leaves would be missing there.
        text = f"if ({condition} >= {count}) return;"
        yield Mend(title=f"Leave first: {text}", edits=(source.before(statement, text),))


def _index_of(source: _Source, subscript: Node) -> str | None:
    for child in subscript.children:
        if child.type == "subscript_argument_list" and len(child.named_children) == 1:
            return source.text(child.named_children[0])
    return None


def _loose_comparison(source: _Source, inside: Node, index: str) -> Node | None:
    """`index <= bound` in a condition around the access."""
    for around in _ancestors(inside):
        condition = around.child_by_field_name("condition")
        if around.type == "function_definition" or condition is None:
            continue
        for node in walk(condition):
            if node.type == "binary_expression" and len(node.children) == 3:
                left, operator, _ = node.children
                if operator.type == "<=" and source.text(left) == index:
                    return node
    return None


def _count_parameter(source: _Source, function: Node) -> str | None:
    """The parameter that says how many elements there are: by its name, or the only integer."""
    integers = []
    for node in walk(function):
        if node.type == "compound_statement":
            break
        if node.type == "parameter_declaration":
            kind, name = node.child_by_field_name("type"), node.child_by_field_name("declarator")
            if kind and name and name.type == "identifier" and _INTEGER.search(source.text(kind)):
                integers.append(source.text(name))
    named = [name for name in integers if name in _COUNTS]
    if len(named) == 1:
        return named[0]
    return integers[0] if len(integers) == 1 else None


def _has_barrier(source: _Source, function: Node) -> bool:
    body = function.child_by_field_name("body")
    return body is not None and re.search(r"\b__sync|\.sync\(|__shfl|barrier", source.text(body)) is not None


# ---- the barrier -------------------------------------------------------------------------------------------


def _barrier(source: _Source, finding: Finding) -> Iterator[Mend]:
    """Between the two accesses of a race, in the innermost block around both, or at the end of the loop's body."""
    later = source.at(finding.range)
    other = next((r for r in finding.related if r.path == finding.path), None)
    if later is None or other is None:
        return
    earlier = source.on_line(other.line, other.column)
    if earlier is None:
        return
    mine, theirs = _ancestors(later), {node.id for node in _ancestors(earlier)}
    meeting = next((n for n, node in enumerate(mine) if node.id in theirs), None)
    if meeting is None:
        return
    place = next((n for n in range(meeting, len(mine)) if mine[n].type in _BODIES), None)
    if place is None or _in_branch(mine[place]):
        return
    statement = mine[place - 1]
    same = meeting < place and mine[place - 1].id in theirs
    if not same and not _barrier_between(source, mine[place], earlier, statement):
        yield Mend(title="Put __syncthreads() before it", edits=(source.before(statement, _BARRIER),))
        return
    # Both in one statement, or a barrier stands between them already: then the next turn of the loop meets this one.
    loop = _climb(statement, *_LOOPS)
    if loop is None:
        return
    body = loop.child_by_field_name("body")
    if body is None:
        return
    if body.type == "compound_statement":
        last = body.named_children[-1] if body.named_children else None
        if last is not None and not _in_branch(body):
            yield Mend(
                title="Put __syncthreads() at the end of each turn", edits=(source.after(last, _BARRIER),)
            )
    else:
        indent = source.indent(loop)
        yield Mend(
            title="Put __syncthreads() at the end of each turn",
            edits=(
                source.insert(body.start_byte, "{ "),
                source.insert(body.end_byte, f"\n{indent}  {_BARRIER}\n{indent}}}"),
            ),
        )


def _in_branch(node: Node) -> bool:
    """Whether threads of a block may part on the way to a place: a barrier there would be missed by some."""
    for around in _ancestors(node):
        if around.type in ("if_statement", "switch_statement", "conditional_expression", "lambda_expression"):
            return True
        if around.type == "function_definition":
            return False
    return True


def _barrier_between(source: _Source, block: Node, earlier: Node, later: Node) -> bool:
    return any(
        source.text(child).strip() == _BARRIER and earlier.end_byte <= child.start_byte < later.start_byte
        for child in block.named_children
    )


# ---- the padding -------------------------------------------------------------------------------------------


def _padding(source: _Source, finding: Finding) -> Iterator[Mend]:
    """`__shared__ float tile[32][32]` becomes `tile[32][32 + 1]`."""
    for subscript in _around_or_in(source.at(finding.range), "subscript_expression"):
        size = _row_extent(source, subscript)
        if size is not None:
            name, text = source.text(_array_of(subscript)), source.text(size)
            plain = text if re.fullmatch(r"\w+", text) else f"({text})"
            yield Mend(
                title=f"Pad the rows of {name} by one element", edits=(source.replace(size, f"{plain} + 1"),)
            )
            return


def _array_of(subscript: Node) -> Node:
    """`tile` of `tile[y][x]`."""
    array = subscript
    while (
        array.type == "subscript_expression" and (inner := array.child_by_field_name("argument")) is not None
    ):
        array = inner
    return array


def _row_extent(source: _Source, subscript: Node) -> Node | None:
    """The last extent of the shared array that is accessed, where it has rows."""
    name = source.text(_array_of(subscript))
    for node in walk(_climb(subscript, "function_definition") or source.root):
        if node.type != "declaration" or "__shared__" not in source.text(node):
            continue
        for declared in walk(node):
            if declared.type == "array_declarator" and _declared_name(source, declared) == name:
                row = declared.child_by_field_name("declarator")
                has_rows = row is not None and row.type == "array_declarator"
                return declared.child_by_field_name("size") if has_rows else None
    return None


def _declared_name(source: _Source, declarator: Node) -> str:
    inner: Node | None = declarator
    while inner is not None and inner.type == "array_declarator":
        inner = inner.child_by_field_name("declarator")
    return source.text(inner) if inner is not None else ""


# ---- the mask ----------------------------------------------------------------------------------------------


def _mask(source: _Source, finding: Finding) -> Iterator[Mend]:
    """A literal mask that leaves callers out: all lanes call, so all lanes are named."""
    call = next(_around_or_in(source.at(finding.range), "call_expression"), None)
    arguments = call.child_by_field_name("arguments") if call is not None else None
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if call is None or first is None or first.type != "number_literal" or _in_branch(call):
        return
    if source.text(first).lower().rstrip("ul") not in (_FULL_MASK, "-1"):
        yield Mend(title=f"Name all lanes: {_FULL_MASK}", edits=(source.replace(first, _FULL_MASK),))


# ---- the error check ---------------------------------------------------------------------------------------


def _error_check(source: _Source, finding: Finding) -> Iterator[Mend]:
    """After a launch: ask whether it was taken."""
    call = source.at(finding.range)
    statement = _climb(call, "expression_statement")
    function = _climb(call, "function_definition")
    if statement is None or function is None or "<<<" not in source.text(statement):
        return
    following = statement.next_named_sibling
    if following is not None and "cudaGetLastError" in source.text(following):
        return
    if b"torch/extension.h" in source.bytes or b"TORCH_CHECK" in source.bytes:
        check = 'TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch was refused");'
        yield Mend(title="Check the launch with TORCH_CHECK", edits=(source.after(statement, check),))
        return
    check = (
        "if (cudaError_t error = cudaGetLastError(); error != cudaSuccess) "
        'printf("the launch was refused: %s\\n", cudaGetErrorString(error));'
    )
    yield Mend(title="Check the launch with cudaGetLastError()", edits=(source.after(statement, check),))


_MENDERS: dict[str, Callable[[_Source, Finding], Iterator[Mend]]] = {
    "MEM_OUT_OF_BOUNDS": _guard,
    "RACE_SHARED": _barrier,
    "INIT_UNINITIALISED_READ": _barrier,
    "PERF_BANK_CONFLICT": _padding,
    "SYNC_INVALID_MASK": _mask,
    "SYNC_INACTIVE_LANE": _mask,
    "LAUNCH_CONFIGURATION": _error_check,
    "LAUNCH_UNCHECKED": _error_check,
}
