"""A document as bytes: its lines, its tree."""

from bisect import bisect_right
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Range


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, in order."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(here.children))


class Lines:
    """Byte offsets of a UTF-8 text as lines and columns from 1, columns in code points."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = [0, *(i + 1 for i, byte in enumerate(text) if byte == 10)]

    def place(self, offset: int) -> tuple[int, int]:
        offset = max(0, min(offset, len(self._text)))
        line = bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : offset]
        return line + 1, len(before.decode("utf-8", "replace")) + 1

    def offset(self, line: int, byte_column: int) -> int:
        """Of a line and a column in bytes, both from 1; clipped to the line."""
        if line < 1:
            return 0
        if line > len(self._starts):
            return len(self._text)
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self._text)
        return min(start + max(byte_column, 1) - 1, end)

    def range(self, start: int, end: int) -> Range:
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Range(line=line, column=column, end_line=end_line, end_column=end_column)


def head_start(definition: Node) -> int:
    """Where the words before a function's definition begin, its template's parameters and macros among them."""
    parent = definition.parent
    templates = ("template_declaration", "friend_declaration")
    outer = parent if parent is not None and parent.type in templates else definition
    return outer.prev_sibling.end_byte if outer.prev_sibling is not None else outer.start_byte
