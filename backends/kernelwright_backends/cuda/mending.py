"""Mechanical repairs of findings in CUDA sources: the guard, the barrier, the padding, the mask, the error check.

Each is a small edit that a person would make without thinking, derived from the syntax tree around the finding. Nothing here
knows whether it helps: who offers a repair verifies it first, or says that nobody has.
"""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.parsing import parse
from kernelwright_backends.cuda.cpu.slow import is_double_literal
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
        node = self.root.descendant_for_byte_range(start, end)
        parent = node.parent if node is not None else None
        if node is None or parent is None:
            return node
        # By the name of a variable, or of a member, a compiler means all that it is made of.
        declared = parent.type == "init_declarator" and node == parent.child_by_field_name("declarator")
        return parent if declared or node.type == "field_identifier" else node

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
    if finding.data.get("object_bytes") == 0:
        return  # near no allocation: the index is wrong, not too large
    subscript = next(_around_or_in(source.at(finding.range), "subscript_expression"), None)
    function = _climb(subscript, "function_definition", "lambda_expression")
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
    if int(finding.data.get("offset_bytes", 0) or 0) < 0:
        yield from _from_the_start(source, function, subscript, index)
        return
    condition = _inside(source, function, subscript, index)
    if condition is not None and _is_asked(source, subscript, condition):
        return  # that guard is there: the extent is another
    statement = _climb(subscript, "expression_statement", "declaration")
    if condition is None or statement is None or _waits(source, statement):
        return
    read = _is_read(subscript, statement)
    waits = _waits(source, function)
    if statement.type == "expression_statement":
        if not (read and waits):
            yield Mend(
                title=f"Guard it: if ({condition})", edits=_guarded(source, statement, f"if ({condition}) ")
            )
            return
    elif _may_leave(source, function, statement) and not waits:
        # A declaration cannot be guarded alone. With a barrier behind it, a thread that leaves would be missing there.
        text = f"if (!({condition})) return;" if "&&" in condition else f"if ({_not(condition)}) return;"
        yield Mend(title=f"Leave first: {text}", edits=(source.before(statement, text),))
        return
    zero = _zero(source, function, subscript) if read else None
    if zero is not None:
        # What waits for others, or goes on with the next element, must not leave: it reads a zero instead.
        text = f"({condition} ? {source.text(subscript)} : {zero})"
        yield Mend(title=f"Read 0 beyond the end: {text}", edits=(source.replace(subscript, text),))


def _from_the_start(source: _Source, function: Node, subscript: Node, index: str) -> Iterator[Mend]:
    """`x[i - 1]` of the first element: what lies before the beginning is read as zero."""
    statement = _climb(subscript, "expression_statement", "declaration")
    if statement is None or not _is_read(subscript, statement) or re.search(r"\+\+|--|[(=]", index):
        return
    zero = _zero(source, function, subscript)
    if zero is not None:
        text = f"({index} >= 0 ? {source.text(subscript)} : {zero})"
        yield Mend(title=f"Read 0 before the beginning: {text}", edits=(source.replace(subscript, text),))


def _is_asked(source: _Source, inside: Node, condition: str) -> bool:
    """Whether a condition around a place compares the same thing with some bound already."""
    left = condition.split(" < ", 1)[0].strip("()")
    asked = re.compile(rf"(?<![\w.]){re.escape(left)}\s*<(?![<=])")
    below = inside
    for around in _ancestors(inside):
        before, below = below, around
        asks = around.child_by_field_name("condition") if around.type == "if_statement" else None
        if asks is None or before == around.child_by_field_name("alternative"):
            continue
        if before != asks and (
            condition in source.text(asks) or ("&&" not in condition and asked.search(source.text(asks)))
        ):
            return True
    return False


def _inside(source: _Source, function: Node, subscript: Node, index: str) -> str | None:
    """The condition under which an index lies within; None where nobody can tell, or asking twice would not be the same."""
    place = next(c for c in subscript.children if c.type == "subscript_argument_list").named_children[0]
    if any(
        node.type in ("update_expression", "assignment_expression", "call_expression") for node in walk(place)
    ):
        return None
    integers = _integers(source, function)
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


def _row_and_column(source: _Source, place: Node, integers: list[str]) -> str | None:
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
        return f"{_term(source, column)} < {extent}"
    rows = next((name for name in integers if name != extent), extent)
    return f"{_term(source, row)} < {rows} && {_term(source, column)} < {extent}"


def _term(source: _Source, node: Node) -> str:
    text = source.text(node)
    return (
        text
        if node.type in ("identifier", "number_literal", "parenthesized_expression", "field_expression")
        else f"({text})"
    )


def _not(condition: str) -> str:
    left, _, right = condition.rpartition(" < ")
    return f"{left} >= {right}"


def _guarded(source: _Source, statement: Node, guard: str) -> tuple[Edit, ...]:
    """The guard before a statement; in braces where an `else` behind it would otherwise become the guard's."""
    parent = statement.parent
    if (
        parent is not None
        and parent.type == "if_statement"
        and statement == parent.child_by_field_name("consequence")
    ):
        return (source.insert(statement.start_byte, "{ " + guard), source.insert(statement.end_byte, " }"))
    return (source.insert(statement.start_byte, guard),)


def _is_read(subscript: Node, statement: Node) -> bool:
    """Whether the element is only read: not what is assigned, counted up, or whose address is taken."""
    here = subscript
    while here.parent is not None and here != statement:
        parent = here.parent
        if parent.type in ("update_expression", "pointer_expression"):
            return False
        if parent.type == "assignment_expression" and parent.child_by_field_name("left") == here:
            return False
        if parent.type == "call_expression" or parent.type == "reference_declarator":
            # Of what takes a reference, nobody knows.
            name = parent.child_by_field_name("function")
            if name is not None and name.text is not None and name.text.startswith(b"atomic"):
                return False
        here = parent
    return True


def _zero(source: _Source, function: Node, subscript: Node) -> str | None:
    """A zero of what an array parameter holds; None for vectors and what else has none."""
    word = _element_type(source, function, source.text(_array_of(subscript))) or ""
    if re.fullmatch(
        r"(unsigned |signed )?(float|double|int|char|short|long|unsigned|u?int\d+_t|size_t)", word
    ):
        return "0"
    return f"{word}(0)" if re.fullmatch(r"[A-Za-z_]\w*[A-Za-z_]|[A-Z]", word) else None


def _element_type(source: _Source, function: Node | None, name: str) -> str | None:
    """What a parameter of a function points to, as it is spelled."""
    for node in walk(function) if function is not None else ():
        if node.type == "compound_statement":
            break
        declared = node.child_by_field_name("declarator") if node.type == "parameter_declaration" else None
        if declared is not None and re.search(rf"\b{re.escape(name)}\b", source.text(declared)):
            kind = node.child_by_field_name("type")
            return source.text(kind) if kind is not None else None
    return None


def _may_leave(source: _Source, function: Node, statement: Node) -> bool:
    """Whether a `return` may stand before a statement: of a function without a value, outside of loops."""
    kind = function.child_by_field_name("type")
    return (
        statement.parent is not None
        and statement.parent.type in _BODIES
        and kind is not None
        and source.text(kind) == "void"
        and not any(around.type in _LOOPS for around in _ancestors(statement))
    )


def _index_of(source: _Source, subscript: Node) -> str | None:
    for child in subscript.children:
        if child.type == "subscript_argument_list" and len(child.named_children) == 1:
            return source.text(child.named_children[0])
    return None


def _loose_comparison(source: _Source, inside: Node, index: str) -> Node | None:
    """`index <= bound` in a condition around the access."""
    below = inside
    for around in _ancestors(inside):
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


def _integers(source: _Source, function: Node) -> list[str]:
    """The names of a function's integer parameters."""
    integers = []
    for node in walk(function):
        if node.type == "compound_statement":
            break
        if node.type == "parameter_declaration":
            kind, name = node.child_by_field_name("type"), node.child_by_field_name("declarator")
            if kind and name and name.type == "identifier" and _INTEGER.search(source.text(kind)):
                integers.append(source.text(name))
    return integers


def _count_parameter(integers: list[str]) -> str | None:
    """The parameter that says how many elements there are: by its name, or the only integer."""
    named = [name for name in integers if name in _COUNTS]
    if len(named) == 1:
        return named[0]
    return integers[0] if len(integers) == 1 else None


def _waits(source: _Source, node: Node) -> bool:
    """Whether threads wait for each other there."""
    return re.search(r"\b__sync|\.sync\(|__shfl|__ballot|barrier", source.text(node)) is not None


# ---- the barrier -------------------------------------------------------------------------------------------


def _barrier(source: _Source, finding: Finding) -> Iterator[Mend]:
    """Between the two accesses of a race, in the innermost block around both, or at the end of the loop's body."""
    later = source.at(finding.range)
    other = next(
        (r for r in finding.related if r.path == finding.path and "allocated" not in r.message), None
    )
    if later is None or other is None or not _on_device(source, later):
        return
    earlier = source.on_line(other.line, other.column)
    if earlier is None:
        return
    # A function may be called by one warp only, where the block's barrier would wait for ever.
    in_warp = "lanes of one warp" in finding.message and not _is_kernel(source, later)
    barrier = "__syncwarp();" if in_warp else _BARRIER
    mine, theirs = _ancestors(later), {node.id for node in _ancestors(earlier)}
    meeting = next((n for n, node in enumerate(mine) if node.id in theirs), None)
    if meeting is None:
        return
    place = next((n for n in range(meeting, len(mine)) if mine[n].type in _BODIES), None)
    if place is None or _in_branch(source, mine[place]):
        return
    statement = mine[place - 1]
    same = meeting < place and mine[place - 1].id in theirs
    enough = (_BARRIER, "__syncwarp();") if "lanes of one warp" in finding.message else (_BARRIER,)
    if not same and not _barrier_between(source, mine[place], earlier, statement, enough):
        yield Mend(title=f"Put {barrier[:-1]} before it", edits=(source.before(statement, barrier),))
        return
    # Both in one statement, or a barrier stands between them already: then the next turn of the loop meets this one.
    loop = _climb(statement, *_LOOPS)
    while loop is not None and loop.id not in theirs:
        loop = _climb(loop.parent, *_LOOPS)
    if loop is None:
        # The function is called again while some threads still read what it left.
        first = next((node for node in _ancestors(earlier) if node.parent == mine[place]), None)
        if first is not None and not same and not _is_kernel(source, first):
            yield Mend(
                title=f"Put {barrier[:-1]} before what the next call stores",
                edits=(source.before(first, barrier),),
            )
        return
    body = loop.child_by_field_name("body")
    if body is None:
        return
    if body.type == "compound_statement":
        last = body.named_children[-1] if body.named_children else None
        if last is not None and not _in_branch(source, body):
            yield Mend(
                title=f"Put {barrier[:-1]} at the end of each turn", edits=(source.after(last, barrier),)
            )
    else:
        indent = source.indent(loop)
        yield Mend(
            title=f"Put {barrier[:-1]} at the end of each turn",
            edits=(
                source.insert(body.start_byte, "{ "),
                source.insert(body.end_byte, f"\n{indent}  {barrier}\n{indent}}}"),
            ),
        )


def _head(source: _Source, node: Node) -> str:
    """What stands before the body of the function around a place."""
    function = _climb(node, "function_definition")
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None:
        return ""
    return source.bytes[function.start_byte : body.start_byte].decode("utf-8", "replace")


def _on_device(source: _Source, node: Node) -> bool:
    return "__global__" in _head(source, node) or "__device__" in _head(source, node)


def _is_kernel(source: _Source, node: Node) -> bool:
    return "__global__" in _head(source, node)


def _in_branch(source: _Source, node: Node) -> bool:
    """Whether threads of a block may part on the way to a place: a barrier there would be missed by some."""
    own = _of_the_thread(source, _climb(node, "function_definition"))
    for around in _ancestors(node):
        if around.type in ("if_statement", "switch_statement", "conditional_expression", "lambda_expression"):
            return True
        if around.type in _LOOPS:
            # A loop whose number of turns is each thread's own.
            heads = [around.child_by_field_name(name) for name in ("initializer", "condition", "update")]
            words = {
                word for head in heads if head is not None for word in re.findall(r"\w+", source.text(head))
            }
            if words & own:
                return True
        if around.type == "function_definition":
            return False
    return True


def _of_the_thread(source: _Source, function: Node | None) -> set[str]:
    """Variables of a function whose value may differ between the threads of a block."""
    own = {"threadIdx", "laneid"}
    if function is None:
        return own
    made: list[tuple[str, set[str]]] = []
    for node in walk(function):
        named = {"init_declarator": ("declarator", "value"), "assignment_expression": ("left", "right")}
        if node.type in named:
            to, by = (node.child_by_field_name(name) for name in named[node.type])
            if to is not None and by is not None:
                name = re.match(r"[\s*&]*(\w+)", source.text(to))
                made.append((name[1] if name else "", set(re.findall(r"\w+", source.text(by)))))
    while True:
        more = {name for name, by in made if name not in own and by & own}
        if not more:
            return own
        own |= more


def _barrier_between(
    source: _Source, block: Node, earlier: Node, later: Node, barriers: tuple[str, ...]
) -> bool:
    return any(
        source.text(child).strip() in barriers and earlier.end_byte <= child.start_byte < later.start_byte
        for child in block.named_children
    )


# ---- the atomic operation ----------------------------------------------------------------------------------


def _race(source: _Source, finding: Finding) -> Iterator[Mend]:
    """Threads that count in one place: `bins[b]++` becomes `atomicAdd(&bins[b], 1)`. Else the barrier."""
    found = source.at(finding.range)
    others = [r for r in finding.related if r.path == finding.path and "allocated" not in r.message]
    if found is not None and any(r.line == finding.range.line for r in others) and _on_device(source, found):
        statement = _climb(found, "expression_statement", "declaration") or found
        for node in walk(statement):
            text = _as_atomic(source, node)
            if text is not None:
                yield Mend(title=f"Make it atomic: {text}", edits=(source.replace(node, text),))
                return
    if finding.code == "RACE_SHARED":
        yield from _barrier(source, finding)


def _as_atomic(source: _Source, node: Node) -> str | None:
    """The atomic operation that does what `x++`, `x--`, `x += e`, `x -= e`, `x |= e`, `x &= e` or `x ^= e` does."""
    if node.type == "update_expression":
        place = node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        used = node.parent is not None and node.parent.type not in ("expression_statement", "for_statement")
        if place is None or operator is None or (used and operator.start_byte < place.start_byte):
            return None
        name, value = ("atomicAdd" if operator.type == "++" else "atomicSub"), "1"
    elif node.type == "assignment_expression":
        place = node.child_by_field_name("left")
        right, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
        if place is None or right is None or operator is None:
            return None
        if node.parent is None or node.parent.type not in (
            "expression_statement",
            "if_statement",
            "for_statement",
        ):
            return None  # its value is used
        names = {"+=": "atomicAdd", "|=": "atomicOr", "&=": "atomicAnd", "^=": "atomicXor"}
        if operator.type == "-=":
            name, value = "atomicAdd", f"-{_term(source, right)}"
        elif operator.type in names:
            name, value = names[operator.type], source.text(right)
        else:
            return None
    else:
        return None
    if place.type not in ("identifier", "subscript_expression", "field_expression", "pointer_expression"):
        return None
    text = source.text(place)
    # What is read beside it in the same statement may be what other threads write: then a sum alone does not help.
    array = source.text(_array_of(place))
    rest = source.text(node).replace(text, "", 1)
    if re.search(rf"(?<![\w.]){re.escape(array)}\b", rest):
        return None
    if not _has_atomics(source, place, array):
        return None
    address = text[1:] if place.type == "pointer_expression" and text.startswith("*") else f"&{text}"
    return f"{name}({address}, {value})"


# Of bytes, of two bytes and of signed 64 bits the device adds nothing atomically.
_WITHOUT_ATOMICS = re.compile(
    r"(unsigned |signed )?(char|short)( int)?|bool|u?int(8|16)_t|int64_t|(signed )?long( long)?( int)?"
)


def _has_atomics(source: _Source, place: Node, array: str) -> bool:
    """Whether what an array parameter holds is of a type with atomic operations; of what nobody knows, it may be."""
    kind = _element_type(source, _climb(place, "function_definition", "lambda_expression"), array)
    return kind is None or _WITHOUT_ATOMICS.fullmatch(kind) is None


# ---- the first value ---------------------------------------------------------------------------------------


def _first_value(source: _Source, finding: Finding) -> Iterator[Mend]:
    """A local variable that is added to before it has a value gets zero; shared memory gets its barrier."""
    if "variable" in finding.data:
        declared = next((r for r in finding.related if r.path == finding.path), None)
        if declared is not None:
            yield from _begin_with_zero(source, source.on_line(declared.line, declared.column))
        return
    if finding.data.get("space") in (None, "", "shared"):
        yield from _barrier(source, finding)
        return
    found = source.at(finding.range)
    if finding.data.get("space") != "local" or found is None:
        return
    statement = _climb(found, "expression_statement") or found
    function = _climb(found, "function_definition")
    stored = next((node for node in walk(statement) if node.type == "assignment_expression"), None)
    place = stored.child_by_field_name("left") if stored is not None else None
    if place is None or function is None:
        return
    name = source.text(_array_of(place))
    for node in walk(function):
        if node.type != "declaration" or "extern" in source.text(node) or "__shared__" in source.text(node):
            continue
        for declarator in node.children_by_field_name("declarator"):
            array = declarator.type == "array_declarator"
            spelled = _declared_name(source, declarator) if array else source.text(declarator)
            if spelled == name and declarator.type in ("identifier", "array_declarator"):
                yield from _begin_with_zero(source, declarator)
                return


def _begin_with_zero(source: _Source, declared: Node | None) -> Iterator[Mend]:
    """`float sum` becomes `float sum = 0`; an array or a structure, as whose part that may be, begins with `= {}`."""
    declarator = declared
    while (
        declarator is not None
        and declarator.parent is not None
        and declarator.parent.type == "array_declarator"
    ):
        declarator = declarator.parent
    if declarator is None or declarator.parent is None or declarator.parent.type != "declaration":
        return
    kind = declarator.parent.child_by_field_name("type")
    number = kind is not None and kind.type in ("primitive_type", "sized_type_specifier")
    text = " = 0" if declarator.type == "identifier" and number else " = {}"
    yield Mend(
        title=f"Begin with zero: {source.text(declarator)}{text}",
        edits=(source.insert(declarator.end_byte, text),),
    )


# ---- the wait for a copy -----------------------------------------------------------------------------------


def _wait(source: _Source, finding: Finding) -> Iterator[Mend]:
    """Shared memory that is used while a copy into it is on its way: wait for all groups before the threads meet."""
    found = source.at(finding.range)
    function = _climb(found, "function_definition")
    if found is None or function is None:
        return
    text = source.text(function)
    wait = (
        "__pipeline_wait_prior(0);"
        if "__pipeline_commit" in text
        else 'asm volatile("cp.async.wait_group 0;\\n" ::: "memory");'
        if "cp.async.commit_group" in text
        else None
    )
    if wait is None:
        return
    for node in walk(function):
        waits = node.type == "expression_statement" and re.match(
            r"__pipeline_wait_prior\((?!0\))|asm\b.*cp\.async\.wait_group\s+[1-9]", source.text(node)
        )
        if waits:
            yield Mend(title=f"Wait for all groups: {wait}", edits=(source.replace(node, wait),))
            return
    statement = next(
        (n for n in _ancestors(found) if n.parent is not None and n.parent.type in _BODIES), None
    )
    if statement is None:
        return
    before = statement.prev_named_sibling
    if before is not None and source.text(before).strip() == _BARRIER:
        yield Mend(title=f"Wait for the copies: {wait}", edits=(source.before(before, wait),))
    elif not _in_branch(source, statement):
        yield Mend(
            title=f"Wait for the copies: {wait}",
            edits=(source.before(statement, f"{wait}\n{source.indent(statement)}{_BARRIER}"),),
        )


# ---- the padding -------------------------------------------------------------------------------------------


def _padding(source: _Source, finding: Finding) -> Iterator[Mend]:
    """`__shared__ float tile[32][32]` becomes `tile[32][32 + 1]`."""
    for subscript in _around_or_in(source.at(finding.range), "subscript_expression"):
        size = _row_extent(source, subscript)
        if size is not None and _only_by_elements(source, subscript):
            name, text = source.text(_array_of(subscript)), source.text(size)
            plain = text if re.fullmatch(r"\w+", text) else f"({text})"
            yield Mend(
                title=f"Pad the rows of {name} by one element", edits=(source.replace(size, f"{plain} + 1"),)
            )
            return


def _float_constants(source: _Source, finding: Finding) -> Iterator[Mend]:
    """`0.5` becomes `0.5f`, with all such constants of its statement."""
    node = source.at(finding.range)
    if node is None or node.type != "number_literal":
        return  # a macro may be used elsewhere
    statement = node
    while statement.parent is not None and statement.parent.type not in (*_BODIES, "function_definition"):
        statement = statement.parent
    constants = [
        n for n in walk(statement) if n.type == "number_literal" and is_double_literal(n.text or b"")
    ]
    edits = tuple(source.insert(constant.end_byte, "f") for constant in constants)
    which = source.text(node) if len(edits) == 1 else f"{len(edits)} constants"
    yield Mend(title=f"Write {which} as float", edits=edits)


def _only_by_elements(source: _Source, subscript: Node) -> bool:
    """Whether an array is only ever used element by element: whoever takes a row, or its size, counts on how it lies."""
    name, deep = source.text(_array_of(subscript)), _depth(subscript)
    for node in walk(_climb(subscript, "function_definition") or source.root):
        if node.type != "identifier" or source.text(node) != name:
            continue
        whole = node
        while (
            whole.parent is not None
            and whole.parent.type == "subscript_expression"
            and whole.parent.child_by_field_name("argument") == whole
        ):
            whole = whole.parent
        parent = whole.parent
        if parent is None or parent.type == "array_declarator":
            continue
        taken = parent.type == "pointer_expression" and source.text(parent).startswith("&")
        if taken or whole.type != "subscript_expression" or _depth(whole) != deep:
            return False
    return True


def _depth(subscript: Node) -> int:
    depth, here = 0, subscript
    while here.type == "subscript_expression" and (inner := here.child_by_field_name("argument")) is not None:
        depth, here = depth + 1, inner
    return depth


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
    if call is None or first is None or first.type != "number_literal" or _in_branch(source, call):
        return
    if source.text(first).lower().rstrip("ul") not in (_FULL_MASK, "-1"):
        yield Mend(title=f"Name all lanes: {_FULL_MASK}", edits=(source.replace(first, _FULL_MASK),))


def _not_declared(source: _Source, finding: Finding) -> Iterator[Mend]:
    """What the compiler's message misses: a header of PyTorch's, or a warp operation that is gone."""
    header = finding.data.get("header")
    if not isinstance(header, str):
        yield from _missing_mask(source, finding)
        return
    for include in source.root.named_children:
        if include.type == "preproc_include" and "torch/" in source.text(include):
            line = f"#include <{header}>\n"
            yield Mend(title=f"Include <{header}>", edits=(source.insert(include.start_byte, line),))
            return


def _missing_mask(source: _Source, finding: Finding) -> Iterator[Mend]:
    """`__shfl(v, 0)` becomes `__shfl_sync(0xffffffff, v, 0)`, everywhere in the file."""
    name = finding.data.get("maskless")
    if not isinstance(name, str):
        return
    edits = []
    for node in walk(source.root):
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        arguments = node.child_by_field_name("arguments") if called is not None else None
        if called is None or arguments is None or source.text(called) != name:
            continue
        edits.append(source.replace(called, f"{name}_sync"))
        edits.append(source.insert(arguments.start_byte + 1, f"{_FULL_MASK}, "))
    if edits:
        yield Mend(title=f"Use {name}_sync with all lanes", edits=tuple(edits))


# ---- the error check ---------------------------------------------------------------------------------------


def _error_check(source: _Source, finding: Finding) -> Iterator[Mend]:
    """Before a launch: allow the shared memory that it asks for. After it: ask whether it was taken."""
    call = source.at(finding.range)
    statement = _climb(call, "expression_statement")
    function = _climb(call, "function_definition")
    if statement is None or function is None or "<<<" not in source.text(statement):
        return
    if "cudaFuncAttributeMaxDynamicSharedMemorySize" in finding.message:
        yield from _shared_attribute(source, statement)
        return
    # The body of an `if` or a loop without braces has no room for a second statement.
    while statement.parent is not None and statement.parent.type not in (*_BODIES, "translation_unit"):
        statement = statement.parent
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


def _shared_attribute(source: _Source, statement: Node) -> Iterator[Mend]:
    """More than 48 KiB of dynamic shared memory are allowed by the kernel's attribute."""
    launch = next((n for n in walk(statement) if n.type == "kernel_call_syntax"), None)
    kernel = launch.parent.child_by_field_name("function") if launch is not None and launch.parent else None
    if launch is None or kernel is None or len(launch.named_children) < 3:
        return
    if statement.parent is None or statement.parent.type not in _BODIES:
        return
    allow = (
        f"cudaFuncSetAttribute({source.text(kernel)}, cudaFuncAttributeMaxDynamicSharedMemorySize, "
        f"{source.text(launch.named_children[2])});"
    )
    yield Mend(title="Allow the shared memory that it asks for", edits=(source.before(statement, allow),))


_MENDERS: dict[str, Callable[[_Source, Finding], Iterator[Mend]]] = {
    "MEM_OUT_OF_BOUNDS": _guard,
    "RACE_SHARED": _race,
    "RACE_GLOBAL": _race,
    "INIT_UNINITIALISED_READ": _first_value,
    "SYNC_ASYNC_COPY": _wait,
    "PERF_BANK_CONFLICT": _padding,
    "PERF_DOUBLE": _float_constants,
    "COMPILE_ERROR": _not_declared,
    "SYNC_INVALID_MASK": _mask,
    "SYNC_INACTIVE_LANE": _mask,
    "LAUNCH_CONFIGURATION": _error_check,
    "LAUNCH_UNCHECKED": _error_check,
}
