"""Where something stands in the user's files, from where the compiler says that it stands in the rewritten ones."""

import re
from collections.abc import Mapping
from pathlib import Path

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.kernel import Function
from kernelwright_backends.host.edits import Rewritten


class Places:
    """From what the compiler calls a place to what the user does."""

    def __init__(self, main: Path, files: Mapping[Path, Rewritten], entry: Function | None = None) -> None:
        self.main, self.files, self.entry = main, files, entry

    def of(self, path: str, line: int, byte_column: int) -> tuple[Path, int, int] | None:
        """Path, line and column (code points) of the user's text; None for text that is not the user's."""
        rewritten = self.files.get(Path(path))
        if rewritten is None:
            return None
        at = rewritten.original_offset(line, byte_column)
        return rewritten.path, *rewritten.lines.place(at)

    def range(
        self, path: str, line: int, byte_column: int, finish: tuple[int, int] | None = None
    ) -> tuple[Path, Range] | None:
        """Like `of`, with the end: where the compiler said, else that of the word that stands there."""
        rewritten = self.files.get(Path(path))
        if rewritten is None:
            return None
        start = rewritten.original_offset(line, byte_column)
        end = rewritten.original_offset(*finish) + 1 if finish else start
        if end <= start + 1:
            end = _word_end(rewritten.original, start)
        return rewritten.path, rewritten.lines.range(start, end)


def _word_end(text: bytes, start: int) -> int:
    match = re.compile(rb"\w+").match(text, start)
    return match.end() if match else min(start + 1, len(text))
