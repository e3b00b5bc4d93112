"""Loops that nvcc repeats in place, marked for g++: what the source asks for, and loops of a few rounds known when compiling.

g++ would not repeat them by itself, for the hooks of their accesses are calls. Lines and columns stay as they are.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.analysis.loops import (
    is_asked_to_unroll,
    is_left_to_run,
    values_known,
    variable_of,
)
from kernelwright_backends.cuda.cpu.frontend.parsing import parse

_ASKED = re.compile(rb"^([ \t]*#[ \t]*pragma[ \t]+)unroll\b[ \t]*\(?([^\n)]*)\)?[ \t\r]*$", re.MULTILINE)
_WHOLLY, _IN_PARTS = b"64", b"1"
_LINE = re.compile(rb'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"[^"\n]*")?[^\n]*$', re.MULTILINE)
# Rounds, and words of the syntax that they come to, up to which nvcc 13.0 repeats them without being asked (seen in its SASS).
_MOST_ROUNDS, _MOST_WORDS = 128, 1700


class Edit(NamedTuple):
    begin: int
    end: int
    instead: bytes


def asked_for(text: bytes) -> bytes:
    """The rewritten text with g++'s pragmas in place of nvcc's."""
    if _ASKED.search(text) is None:
        return text
    return _edited(text, list(_pragmas(text, parse(text).root_node)))


def unrolled(text: bytes) -> bytes:
    """Likewise, with pragmas for small loops as well."""
    root = parse(text).root_node
    return _edited(text, [*_pragmas(text, root), *_further_pragmas(text, root)])


def _edited(text: bytes, edits: Sequence[Edit]) -> bytes:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.begin] + edit.instead + text[edit.end :]
    return text


def _pragmas(text: bytes, root: Node) -> Iterator[Edit]:
    """Those that stand there. Without a number, a loop whose rounds are not known before it runs is repeated in parts."""
    loops = sorted(_for_loops(root), key=lambda loop: loop.start_byte)
    begins = [loop.start_byte for loop in loops]
    for pragma in _ASKED.finditer(text):
        count = pragma[2].strip()
        following = bisect_left(begins, pragma.end())
        if not count and following < len(loops) and is_left_to_run(loops[following], text):
            count = _IN_PARTS
        yield Edit(pragma.start(), pragma.end(), pragma[1] + b"GCC unroll " + (count or _WHOLLY))


def _for_loops(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "for_statement":
            yield node


def _counts_others(loop: Node, variable: bytes) -> bool:
    """Whether loops inside begin, end or go on by its variable."""
    for inner in _for_loops(loop):
        parts = (inner.child_by_field_name(name) for name in ("initializer", "condition", "update"))
        if inner != loop and any(_mentions(part, variable) for part in parts if part is not None):
            return True
    return False


def _mentions(expression: Node, name: bytes) -> bool:
    return expression.text == name or any(_mentions(child, name) for child in expression.children)


def _further_pragmas(text: bytes, root: Node) -> Iterator[Edit]:
    directives = list(_LINE.finditer(text))
    ends = [directive.end() for directive in directives]
    for at, rounds in _small_loops(text, root).items():
        begin = text.rfind(b"\n", 0, at) + 1
        place = bisect_right(ends, begin) - 1
        # The number that this line has for the compiler.
        line = text.count(b"\n", 0, begin) + 1
        if place >= 0:
            line = int(directives[place][1]) + text.count(b"\n", ends[place], begin) - 1
        # Blanks up to the column that the loop had.
        before = bytes(byte if byte == 0x09 else 0x20 for byte in text[begin:at])
        yield Edit(at, at, b"\n#pragma GCC unroll %d\n#line %d\n" % (rounds, line) + before)


def _small_loops(text: bytes, root: Node) -> dict[int, int]:
    """Rounds of those that are repeated in place without being asked for, by where they begin."""
    found: dict[int, int] = {}

    def visit(node: Node, around: Mapping[bytes, int]) -> int:
        """The words of `node` when its small loops are repeated in place."""
        if not node.children:
            return 1
        values = values_known(node, text, around) if node.type == "for_statement" else None
        words = sum(visit(child, around) for child in node.children)
        if not values or len(values) > _MOST_ROUNDS or len(values) * words > _MOST_WORDS:
            return words
        if not is_asked_to_unroll(node, text):
            found[node.start_byte] = max(len(values) + 1, found.get(node.start_byte, 0))
        variable = variable_of(node)
        if _counts_others(node, variable):
            # Theirs are known when this loop is written out.
            for value in values:
                for child in node.children:
                    visit(child, {**around, variable: value})
        return len(values) * words

    visit(root, {})
    return found
