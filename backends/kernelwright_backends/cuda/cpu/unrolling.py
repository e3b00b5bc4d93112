"""Loops that nvcc repeats in place, marked for g++: what the source asks for, and loops of a few rounds known when compiling.

g++ would not repeat them by itself, for the hooks of their accesses are calls. Lines and columns stay as they are.
"""

import re
from bisect import bisect_right

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.loops import is_asked_to_unroll, rounds_known
from kernelwright_backends.cuda.cpu.parsing import parse

_ASKED = re.compile(rb"^([ \t]*#[ \t]*pragma[ \t]+)unroll\b[ \t]*\(?([^\n)]*)\)?[ \t\r]*$", re.MULTILINE)
_WHOLLY = b"64"
_LINE = re.compile(rb'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"[^"\n]*")?[^\n]*$', re.MULTILINE)
# Rounds, and words of the syntax that they come to: about what LLVM's limit for NVPTX (300 operations) leaves.
_MOST_ROUNDS, _MOST_WORDS = 32, 1000


def asked_for(text: bytes) -> bytes:
    """The rewritten text with g++'s pragmas in place of nvcc's."""
    return _ASKED.sub(lambda m: m[1] + b"GCC unroll " + (m[2].strip() or _WHOLLY), text)


def unrolled(text: bytes) -> bytes:
    """Likewise, with pragmas for small loops as well."""
    directives = list(_LINE.finditer(text))
    ends = [directive.end() for directive in directives]
    marked = text
    for at, rounds in sorted(_small_loops(text), reverse=True):
        begin = text.rfind(b"\n", 0, at) + 1
        place = bisect_right(ends, begin) - 1
        # The number that this line has for the compiler.
        line = text.count(b"\n", 0, begin) + 1
        if place >= 0:
            line = int(directives[place][1]) + text.count(b"\n", ends[place], begin) - 1
        # Blanks up to the column that the loop had.
        before = bytes(byte if byte == 0x09 else 0x20 for byte in text[begin:at])
        marked = marked[:at] + b"\n#pragma GCC unroll %d\n#line %d\n" % (rounds, line) + before + marked[at:]
    return asked_for(marked)


def _small_loops(text: bytes) -> list[tuple[int, int]]:
    """Where they begin, and their rounds."""
    found: list[tuple[int, int]] = []

    def visit(node: Node) -> int:
        """The words of `node` when its small loops are repeated in place."""
        if not node.children:
            return 1
        words = sum(visit(child) for child in node.children)
        rounds = rounds_known(node, text) if node.type == "for_statement" else None
        if rounds is None or rounds > _MOST_ROUNDS or rounds * words > _MOST_WORDS:
            return words
        if not is_asked_to_unroll(node, text):
            found.append((node.start_byte, rounds + 1))
        return rounds * words

    visit(parse(text).root_node)
    return found
