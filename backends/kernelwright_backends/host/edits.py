"""Changes of a text that remember where every copied stretch came from.

So a place in the rewritten text is the user's own line and column again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Tree

from kernelwright_backends.core.finding import Range
from kernelwright_backends.syntax.text import Lines


@dataclass(frozen=True)
class Copy:
    """The user's own text, edits inside of it applied."""

    start: int
    end: int


Piece = str | Copy


@dataclass(frozen=True)
class Edit:
    """What stands in the place of bytes `start` to `end`."""

    start: int
    end: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Unsupported:
    """A place, and the feature that stands there and is not executed here."""

    range: Range
    feature: str


@dataclass
class Rewritten:
    """One file, ready for the compiler, and the way back."""

    path: Path
    original: bytes
    text: bytes
    # (start in `text`, start in `original`, length) of every copied stretch, in order
    spans: list[tuple[int, int, int]]
    tree: Tree
    unsupported: list[Unsupported] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = Lines(self.original)
        self._out_lines = Lines(self.text)
        self._starts = [span[0] for span in self.spans]

    def original_offset(self, line: int, byte_column: int) -> int:
        """Where a place of the rewritten text stands in the user's. What we put there counts for what follows it."""
        at = self._out_lines.offset(line, byte_column)
        index = bisect_right(self._starts, at) - 1
        if index >= 0:
            start, source, length = self.spans[index]
            if at < start + length:
                return source + at - start
        if index + 1 < len(self.spans):
            return self.spans[index + 1][1]
        return len(self.original)


def applied(text: bytes, edits: Iterable[Edit]) -> tuple[bytes, list[tuple[int, int, int]]]:
    """The text once it is edited, and the spans of `Rewritten`; of edits at one place the longest is the outer one."""
    ordered = sorted(edits, key=lambda edit: (edit.start, -edit.end))
    starts = [edit.start for edit in ordered]
    out = bytearray()
    spans: list[tuple[int, int, int]] = []

    def copy(start: int, end: int, outer: Edit | None) -> None:
        at = start
        for edit in ordered[bisect_left(starts, start) : bisect_right(starts, end)]:
            if edit is outer or edit.end > end or edit.start < at:
                continue
            if outer is not None and edit.start <= outer.start and edit.end >= outer.end:
                continue
            plain(at, edit.start)
            for piece in edit.pieces:
                if isinstance(piece, str):
                    out.extend(piece.encode())
                else:
                    copy(piece.start, piece.end, edit)
            at = edit.end
        plain(at, end)

    def plain(start: int, end: int) -> None:
        if end > start:
            spans.append((len(out), start, end - start))
            out.extend(text[start:end])

    copy(0, len(text), None)
    return bytes(out), spans
