"""Lines and columns of a text in bytes: lines end with \\n, \\r\\n or \\r and with nothing else."""

import re
from bisect import bisect_right
from itertools import accumulate

from kernelwright_backends.core.finding import Range

_ENDING = re.compile(rb"\r\n|\n|\r")


def _line_starts(text: bytes) -> list[int]:
    if b"\r" in text:
        return [0, *(match.end() for match in _ENDING.finditer(text))]
    return list(accumulate([len(line) + 1 for line in text.split(b"\n")], initial=0))[:-1]


class Lines:
    """Turns byte offsets into lines and columns, both from 1, columns in code points."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = _line_starts(text)
        self._ascii = text.isascii()

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if self._ascii:
            return line, offset - start + 1
        return line, len(self._text[start:offset].decode("utf-8", "replace")) + 1

    def byte(self, line: int, column: int) -> int:
        """The offset of a place, kept within its line."""
        line = min(max(line, 1), len(self._starts))
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        if self._ascii:
            return min(start + max(column, 1) - 1, end)
        before = self._text[start:end].decode("utf-8", "replace")[: max(column, 1) - 1]
        return start + len(before.encode())

    def range(self, start: int, end: int) -> Range:
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Range(line=line, column=column, end_line=end_line, end_column=end_column)
