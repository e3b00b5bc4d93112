"""The loops around an access, and whether nvcc unrolls them: else each round's loads are waited for by themselves."""

import operator
import re
from collections.abc import Callable

from tree_sitter import Node

_LOOPS = frozenset(("for_statement", "while_statement", "do_statement"))
# What orders loads by itself: each round is waited for, unrolled or not.
_ORDERS = re.compile(rb"__sync|__shfl|atomic|__ballot|__any|__all|__reduce|\.sync\s*\(|asm")
# With comments between it and the loop.
_ASKED = re.compile(rb"#[ \t]*pragma[ \t]+(?:GCC[ \t]+)?unroll\b[^\n]*\n(?:\s|//[^\n]*\n|/\*[^*]*\*/)*\Z")
_SO_FAR = 400
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


def loop_around(root: Node, source: bytes, at: int) -> tuple[int, bool]:
    """The line of the loop around byte `at`, 0 where there is none, and whether its rounds are serial: it is not unrolled,
    and nothing but its loads orders them.

    The compiler unrolls where it can tell how many rounds are left without dividing by what is known at run time only:
    a step of `gridDim.x * blockDim.x` is not unrolled, one of 256 is (seen in the SASS of nvcc 13.0).
    """
    node = root.descendant_for_byte_range(at, at)
    while node is not None:
        if node.type in _LOOPS and not _is_written_out(node, source):
            break
        node = node.parent
    if node is None:
        return 0, False
    line = node.start_point[0] + 1
    if is_asked_to_unroll(node, source) or _ORDERS.search(source, node.start_byte, node.end_byte):
        return line, False
    if node.type == "for_statement":
        update = node.child_by_field_name("update")
        return line, update is not None and not _is_constant(update, source)
    return line, True


def is_repeated(root: Node, at: int) -> bool:
    """Whether byte `at` stands in a loop, of whatever kind."""
    node = root.descendant_for_byte_range(at, at)
    while node is not None and node.type not in _LOOPS:
        node = node.parent
    return node is not None


def rounds_known(loop: Node, source: bytes) -> int | None:
    """How many rounds a `for` loop has, where the source says so when compiling; of a template's parameter, a guess."""
    parts = [loop.child_by_field_name(name) for name in ("initializer", "condition", "update")]
    initial, condition, update = parts
    if initial is None or condition is None or update is None or condition.type != "binary_expression":
        return None
    declared = next(
        (c for c in initial.children if c.type in ("init_declarator", "assignment_expression")), initial
    )
    begin = declared.child_by_field_name("value") or declared.child_by_field_name("right")
    limit = condition.child_by_field_name("right")
    compared = condition.child_by_field_name("operator")
    at, end = _value(begin, source), _value(limit, source)
    if compared is None or compared.text is None or at is None or end is None:
        return None
    holds = _COMPARED.get(compared.text)
    step = _step(update, source)
    if holds is None or step is None:
        return None
    rounds = 0
    while holds(at, end):
        rounds += 1
        at, before = step(at), at
        if at == before or rounds > _MOST_ROUNDS:
            return None
    return rounds or None


def _step(update: Node, source: bytes) -> Callable[[int], int] | None:
    spelled = update.child_by_field_name("operator")
    sign = spelled.text if spelled is not None else None
    if update.type == "update_expression":
        return (lambda at: at + 1) if sign == b"++" else (lambda at: at - 1)
    by = _value(update.child_by_field_name("right"), source)
    if update.type != "assignment_expression" or sign is None or by is None:
        return None
    operation = _OPERATIONS.get(sign.removesuffix(b"="))
    return (lambda at: operation(at, by)) if operation is not None and sign.endswith(b"=") else None


def _value(node: Node | None, source: bytes) -> int | None:
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
            return _value(node.named_children[0], source) if node.named_child_count == 1 else None
        case "binary_expression":
            left = _value(node.child_by_field_name("left"), source)
            right = _value(node.child_by_field_name("right"), source)
            sign = node.child_by_field_name("operator")
            operation = _OPERATIONS.get(sign.text) if sign is not None and sign.text is not None else None
            if left is None or right is None or operation is None:
                return None
            try:
                return operation(left, right)
            except (ZeroDivisionError, ValueError):
                return None
        case "identifier":
            spelled = re.escape(node.text)
            constant = rb"(?:constexpr|const|static)\s+[\w\s]*\b" + spelled + rb"\s*=\s*(\d+)\s*[;,]"
            macro = rb"#\s*define\s+" + spelled + rb"[ \t]+\(?(\d+)\)?[ \t]*(?:\n|//|/\*)"
            if (told := re.search(constant + rb"|" + macro, source)) is not None:
                return int(told[1] or told[2])
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
