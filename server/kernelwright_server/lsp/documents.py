"""The open documents as the client has them: text, lines, positions. Nothing here knows what a kernel is.

pygls keeps texts too, but splits their lines as Python does, at form feeds and more, and an edit after one of these
goes astray. Here a line ends with \\n, \\r\\n or \\r and with nothing else, as LSP says.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

_LONG = 1 << 20
_ENDING = re.compile(r"\r\n|\n|\r")


class Text:
    """A text with its lines. Offsets count code points, from 0; the client's positions count units of its encoding."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._encoding = encoding
        self._ascii = text.isascii()
        self._starts = _line_starts(text)

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, number: int) -> str:
        """A line without its ending; empty beyond the end."""
        if not 0 <= number < len(self._starts):
            return ""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end].rstrip("\r\n")

    def offset(self, position: types.Position) -> int:
        """The client's position as an offset. Beyond a line's end it means the line's end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        line = self.line(position.line)
        if self._ascii or self._encoding == types.PositionEncodingKind.Utf32:
            return start + min(position.character, len(line))
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += _units(character, self._encoding)
        return start + len(line)

    def position(self, offset: int) -> types.Position:
        """The client's position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return self.client_position(line, offset - self._starts[line])

    def client_position(self, line: int, column: int) -> types.Position:
        """The client's position of a line and a column in code points, both from 0; kept within the text."""
        line = min(max(line, 0), len(self._starts) - 1)
        before = self.line(line)[: max(column, 0)]
        if self._ascii or self._encoding == types.PositionEncodingKind.Utf32:
            return types.Position(line=line, character=len(before))
        return types.Position(line=line, character=sum(_units(c, self._encoding) for c in before))

    def place(self, position: types.Position) -> tuple[int, int]:
        """The client's position as line and column in code points, both from 1, as findings count them."""
        offset = self.offset(position)
        line = bisect_right(self._starts, offset) - 1
        return line + 1, offset - self._starts[line] + 1

    def lines(self) -> list[str]:
        """All lines with their endings."""
        ends = [*self._starts[1:], len(self.text)]
        return [self.text[start:end] for start, end in zip(self._starts, ends, strict=True)]


def _line_starts(text: str) -> Sequence[int]:
    if len(text) > _LONG:  # its lines as texts of their own would take many times its memory
        return array("Q", chain((0,), (match.end() for match in _ENDING.finditer(text))))
    if "\r" in text:
        return [0, *(match.end() for match in _ENDING.finditer(text))]
    # Several times faster, and this is done for every key that is pressed.
    return list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))[:-1]


def _units(character: str, encoding: str) -> int:
    code = ord(character)
    if encoding == types.PositionEncodingKind.Utf8:
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return 2 if code > 0xFFFF else 1


class Document:
    """An open document and the edits that nobody has looked at yet."""

    def __init__(self, item: types.TextDocumentItem, encoding: str) -> None:
        self.uri = item.uri
        self.language = item.language_id
        self.version = item.version
        self.path = Path(to_fs_path(item.uri) or item.uri)
        self._encoding = encoding
        self.content = Text(item.text, encoding)

    @property
    def text(self) -> str:
        return self.content.text

    def change(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply the client's changes, in order; each speaks of the text as the one before left it."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start = self.content.offset(change.range.start)
                end = max(start, self.content.offset(change.range.end))
                text = self.text[:start] + change.text + self.text[end:]
            else:
                text = change.text
            self.content = Text(text, self._encoding)
        self.version = version


class Documents:
    """All open documents by their address."""

    def __init__(self) -> None:
        self.encoding: str = types.PositionEncodingKind.Utf16
        self._documents: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))

    def open(self, item: types.TextDocumentItem) -> Document:
        document = self._documents[item.uri] = Document(item, self.encoding)
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version)

    def close(self, uri: str) -> None:
        self._documents.pop(uri, None)

    def find(self, uri: str) -> Document | None:
        return self._documents.get(uri)

    def at(self, path: Path) -> Document | None:
        """The open document of a file."""
        return next((d for d in self._documents.values() if d.path == path), None)
