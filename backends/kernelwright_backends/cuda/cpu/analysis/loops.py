"""The loops around an access, and whether nvcc unrolls them: else each round's loads are waited for by themselves."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tree_sitter import Node

from kernelwright_backends.syntax.text import walk

Values = Mapping[bytes, int]

_AT_RUN_TIME = frozenset((b"threadIdx", b"blockIdx", b"blockDim", b"gridDim"))
_LOOPS = frozenset(("for_statement", "while_statement", "do_statement"))
_ACCESSES = frozenset(("subscript_expression", "pointer_expression", "call_expression"))
# What orders loads by itself: each round is waited for, unrolled or not.
_ORDERS = re.compile(rb"__sync|__shfl|atomic|__ballot|__any|__all|__reduce|\.sync\s*\(|asm")
# With comments between it and the loop.
_ASKED = re.compile(rb"#[ \t]*pragma[ \t]+(?:GCC[ \t]+)?unroll\b[^\n]*\n(?:\s|//[^\n]*\n|/\*[^*]*\*/)*\Z")
_SO_FAR = 400
_OTHER_INTEGERS = frozenset(
    (b"unsigned", b"long", b"size_t", b"ptrdiff_t", b"int64_t", b"uint32_t", b"uint64_t")
)
_NAME = re.compile(rb"[A-Za-z_]\w*")
_MOST_ROUNDS = 1024
_OF_TEMPLATE = 8
_COMPARED: dict[bytes, Callable[[int, int], bool]] = {
    b"<": operator.lt, b"<=": operator.le, b">": operator.gt, b">=": operator.ge, b"!=": operator.ne,
}  # fmt: skip
_OPERATIONS: dict[bytes, Callable[[int, int], int]] = {
    b"+": operator.add, b"-": operator.sub, b"*": operator.mul, b"/": operator.floordiv, b"%": operator.mod,
    b"<<": operator.lshift, b">>": operator.rshift,
}  # fmt: skip


class Loop(NamedTuple):
    """The loop around an access that is not written out."""

    line: int = 0
    """0 where there is none"""
    serial: bool = False
    """it is not unrolled, and nothing but its loads orders its rounds"""
    walking: bool = False
    """the access names its variable, or another that its rounds change: each has a place of its own, and no register holds them all"""
    repeated_again: bool = True
    """rounds that are made together are so four times more if they are short: a `for` loop that counts with an int and asks for nothing"""


def loop_around(root: Node, source: bytes, at: int) -> Loop:
    """Of the access at byte `at`.

    The compiler unrolls where it can tell how many rounds are left without dividing by what is known at run time only:
    a step of `gridDim.x * blockDim.x` is not unrolled, one of 256 is (seen in the SASS of nvcc 13.0).
    """
    node, access = root.descendant_for_byte_range(at, at), None
    while node is not None and (node.type not in _LOOPS or _is_written_out(node, source)):
        access = node if access is None and node.type in _ACCESSES else access
        node = node.parent
    if node is None:
        return Loop()
    named = _NAME.findall(source, access.start_byte, access.end_byte) if access is not None else []
    walking = not {variable_of(node), *_changed_in(node)}.isdisjoint(named)
    serial = True
    if is_asked_to_unroll(node, source) or _ORDERS.search(source, node.start_byte, node.end_byte):
        serial = False
    elif node.type == "for_statement":
        update = node.child_by_field_name("update")
        serial = update is not None and not _is_constant(update, source)
    again = _counts_with_int(node) and not is_asked_to_unroll(node, source)
    return Loop(node.start_point[0] + 1, serial, walking, again)


def decided_by(root: Node, at: int) -> list[tuple[int, int]]:
    """Where what decides whether the access at byte `at` is made is computed: conditions inside the loop around it, and what
    the variables in them are set to there. Bytes from and to."""
    node = root.descendant_for_byte_range(at, at)
    conditions = list[Node]()
    while node is not None and node.type not in _LOOPS and node.type != "function_definition":
        around = node.parent
        if around is None:
            break
        condition = None
        if around.type in ("if_statement", "conditional_expression"):
            condition = around.child_by_field_name("condition")
        elif around.type == "binary_expression" and around.child_by_field_name("right") == node:
            operator_ = around.child_by_field_name("operator")
            condition = (
                around.child_by_field_name("left")
                if operator_ is not None and operator_.text in (b"&&", b"||")
                else None
            )
        if condition is not None and not condition.start_byte <= at < condition.end_byte:
            conditions.append(condition)
        node = around
    if node is None or not conditions:
        return []
    names = {n.text for condition in conditions for n in walk(condition) if n.type == "identifier"}
    found = [(c.start_byte, c.end_byte) for c in conditions]
    for inner in walk(node):
        if inner.type not in ("assignment_expression", "init_declarator") or inner.start_byte >= at:
            continue
        name = inner.child_by_field_name("left") or inner.child_by_field_name("declarator")
        if name is not None and name.text in names:
            found.append((inner.start_byte, inner.end_byte))
    return found


def _changed_in(loop: Node) -> set[bytes]:
    """The variables that the body of a loop sets."""
    found = set()
    for node in walk(loop):
        name = None
        if node.type in ("assignment_expression", "update_expression"):
            name = node.child_by_field_name("left") or node.child_by_field_name("argument")
        elif node.type == "init_declarator":
            name = node.child_by_field_name("declarator")
        if name is not None and name.type == "identifier" and name.text is not None:
            found.add(name.text)
    return found


def _counts_with_int(loop: Node) -> bool:
    """Loops that count with other integers, and `while` loops, are unrolled once alone (seen in the SASS of nvcc 13.0)."""
    if loop.type != "for_statement":
        return False
    initial = loop.child_by_field_name("initializer")
    kind = initial.child_by_field_name("type") if initial is not None else None
    return kind is None or not _OTHER_INTEGERS.intersection(_NAME.findall(kind.text or b""))


def is_repeated(root: Node, at: int) -> bool:
    """Whether byte `at` stands in a loop, of whatever kind."""
    node = root.descendant_for_byte_range(at, at)
    while node is not None and node.type not in _LOOPS:
        node = node.parent
    return node is not None


def rounds_known(loop: Node, source: bytes) -> int | None:
    """How many rounds a `for` loop has, where the source says so when compiling; of a template's parameter, a guess."""
    values = values_known(loop, source, {})
    return len(values) if values else None


def values_known(loop: Node, source: bytes, around: Values) -> list[int] | None:
    """What the variable of a `for` loop is in each of its rounds, likewise.

    Args:
        around: the variables of loops around it that are repeated in place.
    """
    parts = [loop.child_by_field_name(name) for name in ("initializer", "condition", "update")]
    initial, condition, update = parts
    if initial is None or condition is None or update is None or condition.type != "binary_expression":
        return None
    declared = _declared(initial)
    begin = declared.child_by_field_name("value") or declared.child_by_field_name("right")
    limit = condition.child_by_field_name("right")
    compared = condition.child_by_field_name("operator")
    at, end = _value(begin, source, around), _value(limit, source, around)
    if compared is None or compared.text is None or at is None or end is None:
        return None
    holds = _COMPARED.get(compared.text)
    step = _step(update, source, around)
    if holds is None or step is None:
        return None
    values = list[int]()
    while holds(at, end):
        values.append(at)
        at = step(at)
        if at == values[-1] or len(values) > _MOST_ROUNDS:
            return None
    return values


def variable_of(loop: Node) -> bytes:
    """The name of what a `for` loop counts with; none where it declares no single one."""
    initial = loop.child_by_field_name("initializer")
    declared = _declared(initial) if initial is not None else None
    name = None
    if declared is not None:
        name = declared.child_by_field_name("declarator") or declared.child_by_field_name("left")
    return name.text or b"" if name is not None else b""


def is_left_to_run(loop: Node, source: bytes) -> bool:
    """Whether the rounds of a `for` loop depend on what is known at run time only, such as the number of a thread."""
    function = loop
    while function.parent is not None and function.type != "function_definition":
        function = function.parent
    declarations = _declarations(function, source)
    initial = loop.child_by_field_name("initializer")
    bounds = [loop.child_by_field_name(name) for name in ("condition", "update")]
    if initial is not None:
        declared = _declared(initial)
        bounds.append(declared.child_by_field_name("value") or declared.child_by_field_name("right"))
    own = {variable_of(loop)}
    return any(_varies(part, declarations, own) for part in bounds if part is not None)


def _declarations(function: Node, source: bytes) -> dict[bytes, Node | None]:
    """The variables of a function that are no constants by themselves: what a `const` one holds, none of others and of those of
    loops whose rounds are known."""
    found: dict[bytes, Node | None] = {}
    waiting = [function]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "parameter_declaration":
            name = node.child_by_field_name("declarator")
            if name is not None and name.type == "identifier" and name.text is not None:
                found[name.text] = None
        elif node.type == "declaration":
            qualifiers = {child.text for child in node.children if child.type == "type_qualifier"}
            loop = node.parent if node.parent is not None and node.parent.type == "for_statement" else None
            if b"constexpr" in qualifiers or (loop is not None and rounds_known(loop, source) is not None):
                continue
            for name in node.children_by_field_name("declarator"):
                value = name.child_by_field_name("value")
                inner = name.child_by_field_name("declarator") if name.type == "init_declarator" else name
                if inner is not None and inner.type == "identifier" and inner.text is not None:
                    found[inner.text] = value if b"const" in qualifiers else None
    return found


def _varies(expression: Node, declarations: dict[bytes, Node | None], known: set[bytes]) -> bool:
    if expression.type == "identifier" and expression.text is not None:
        name = expression.text
        if name in known:
            return False
        if name in declarations:
            value = declarations[name]
            return value is None or _varies(value, declarations, known | {name})
        return name in _AT_RUN_TIME
    return any(_varies(child, declarations, known) for child in expression.children)


def _declared(initial: Node) -> Node:
    return next(
        (c for c in initial.children if c.type in ("init_declarator", "assignment_expression")), initial
    )


def _step(update: Node, source: bytes, around: Values) -> Callable[[int], int] | None:
    spelled = update.child_by_field_name("operator")
    sign = spelled.text if spelled is not None else None
    if update.type == "update_expression":
        return (lambda at: at + 1) if sign == b"++" else (lambda at: at - 1)
    by = _value(update.child_by_field_name("right"), source, around)
    if update.type != "assignment_expression" or sign is None or by is None:
        return None
    operation = _OPERATIONS.get(sign.removesuffix(b"="))
    return (lambda at: operation(at, by)) if operation is not None and sign.endswith(b"=") else None


def _value(node: Node | None, source: bytes, around: Values) -> int | None:
    """Of a whole number that is known when compiling."""
    if node is None or node.text is None:
        return None
    match node.type:
        case "number_literal":
            try:
                return int(node.text.rstrip(b"uUlL").replace(b"'", b""), 0)
            except ValueError:
                return None
        case "parenthesized_expression":
            return _value(node.named_children[0], source, around) if node.named_child_count == 1 else None
        case "binary_expression":
            left = _value(node.child_by_field_name("left"), source, around)
            right = _value(node.child_by_field_name("right"), source, around)
            sign = node.child_by_field_name("operator")
            operation = _OPERATIONS.get(sign.text) if sign is not None and sign.text is not None else None
            if left is None or right is None or operation is None:
                return None
            try:
                return operation(left, right)
            except (ZeroDivisionError, ValueError):
                return None
        case "identifier" if node.text in around:
            return around[node.text]
        case "identifier":
            spelled = re.escape(node.text)
            constant = rb"(?:constexpr|const|static)\s+[\w\s]*\b" + spelled + rb"\s*=\s*(\d+)\s*[;,]"
            macro = rb"#\s*define\s+" + spelled + rb"[ \t]+\(?(\d+)\)?[ \t]*(?:\n|//|/\*)"
            if (stated := re.search(constant + rb"|" + macro, source)) is not None:
                return int(stated[1] or stated[2])
            parameter = rb"template\s*<[^>]*\b(?:int|unsigned|size_t|uint32_t|int32_t)\s+" + spelled + rb"\b"
            return _OF_TEMPLATE if re.search(parameter, source) else None
    return None


def _is_written_out(loop: Node, source: bytes) -> bool:
    """Whether a loop has a fixed number of rounds: it is unrolled as a whole, and the loop around it counts."""
    if loop.type != "for_statement":
        return False
    if rounds_known(loop, source) is not None:
        return True
    condition, update = loop.child_by_field_name("condition"), loop.child_by_field_name("update")
    limit = condition.child_by_field_name("right") if condition is not None else None
    if limit is None or update is None:
        return False
    return limit.type == "number_literal" and _is_constant(update, source)


def is_asked_to_unroll(node: Node, source: bytes) -> bool:
    """Whether a pragma stands before the loop; the syntax tree may have been made without it."""
    return _ASKED.search(source, max(0, node.start_byte - _SO_FAR), node.start_byte) is not None


def _is_constant(update: Node, source: bytes) -> bool:
    """Whether a step is known when the kernel is compiled."""
    if update.type == "update_expression":
        return True
    right = update.child_by_field_name("right")
    if right is None:
        return False
    left = update.child_by_field_name("left")
    stepped = source[left.start_byte : left.end_byte] if left is not None else b""
    names = set(_NAME.findall(source, right.start_byte, right.end_byte)) - {stepped}
    return all(_is_known(name, source) for name in names)


def _is_known(name: bytes, source: bytes) -> bool:
    spelled = re.escape(name)
    known = rb"(?:constexpr|const|static)\s+[\w\s]*\b" + spelled + rb"\s*=\s*[\d(]"
    macro = rb"#\s*define\s+" + spelled + rb"\b"
    parameter = rb"template\s*<[^>]*\b" + spelled + rb"\b"
    return re.search(rb"|".join((known, macro, parameter)), source) is not None
