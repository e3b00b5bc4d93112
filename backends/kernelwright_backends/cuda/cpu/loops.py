"""The loops around an access, and whether nvcc unrolls them: else each round's loads are waited for by themselves."""

import re

from tree_sitter import Node

_LOOPS = frozenset(("for_statement", "while_statement", "do_statement"))
# What orders loads by itself: each round is waited for, unrolled or not.
_ORDERS = re.compile(rb"__sync|__shfl|atomic|__ballot|__any|__all|__reduce|\.sync\s*\(|asm")
_NAME = re.compile(rb"[A-Za-z_]\w*")


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
    if _is_asked_to_unroll(node, source) or _ORDERS.search(source, node.start_byte, node.end_byte):
        return line, False
    if node.type == "for_statement":
        update = node.child_by_field_name("update")
        return line, update is not None and not _is_constant(update, source)
    return line, True


def _is_written_out(loop: Node, source: bytes) -> bool:
    """Whether a loop has a fixed number of rounds: it is unrolled as a whole, and the loop around it counts."""
    condition, update = loop.child_by_field_name("condition"), loop.child_by_field_name("update")
    if loop.type != "for_statement" or condition is None or update is None:
        return False
    limit = condition.child_by_field_name("right")
    return limit is not None and limit.type == "number_literal" and _is_constant(update, source)


def _is_asked_to_unroll(loop: Node, source: bytes) -> bool:
    before = loop.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    return before is not None and b"unroll" in source[before.start_byte : before.end_byte] and (
        before.type.startswith("preproc")
    )  # fmt: skip


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
