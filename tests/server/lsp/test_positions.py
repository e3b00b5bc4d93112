"""Positions in every encoding, and edits after characters that only some take for the end of a line."""

import random
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

UNITS = {
    "utf-8": lambda s: len(s.encode()),
    "utf-16": lambda s: len(s.encode("utf-16-le")) // 2,
    "utf-32": len,
}
UNTRUSTED = {"trusted": False}


def encodings(*names: str) -> dict[str, Any]:
    return {"general": {"positionEncodings": list(names)}, "textDocument": {"publishDiagnostics": {}}}


@pytest.mark.parametrize("encoding", UNITS)
async def test_columns_count_the_clients_units(start: Any, tmp_path: Path, encoding: str) -> None:
    editor = await start(UNTRUSTED, capabilities=encodings(encoding))
    assert editor.server.position_encoding == encoding
    before = "/* größe 😀 */ "
    directive = "// kernelwright: tusk=größe.py"
    line = f"{before}{directive}"
    text = f"\f// form feed \x0b and \u2028 end no line\r\n{line}\r__global__ void 核(float* x) {{ x[0] = 1; }}\n"
    uri = await editor.open(tmp_path / "unicode.cu", text)
    await editor.until(lambda: "BIND_DIRECTIVE" in editor.codes(uri))
    (diagnostic,) = [d for d in editor.diagnostics(uri) if d.code == "BIND_DIRECTIVE"]
    start_of_key = UNITS[encoding](line[: line.index("tusk")])
    assert diagnostic.range.start == types.Position(1, start_of_key)
    assert diagnostic.range.end == types.Position(1, start_of_key + 4)
    (symbol,) = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    )
    assert symbol.name == "核"
    assert symbol.selection_range.start == types.Position(2, 16)


PIECES = ["a", "größe", "😀", "\n", "\r\n", "\r", "\f", "\x0b", "\u2028", "\x85", " ", "void f() {}\n", "核"]


@pytest.mark.parametrize("encoding", UNITS)
async def test_incremental_edits_give_the_same_text(start: Any, tmp_path: Path, encoding: str) -> None:
    """After random edits the server sees in the document what it sees in one that was opened with the same text."""
    chance = random.Random(encoding)
    editor = await start(UNTRUSTED, capabilities=encodings(encoding))
    text = "".join(chance.choices(PIECES, k=60))
    uri = await editor.open(tmp_path / "edited.cu", text)
    for _ in range(60):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.randrange(6))
        # A client never sends a place inside of \r\n.
        begin, end = (p - 1 if text[p - 1 : p + 1] == "\r\n" else p for p in (begin, end))
        new = "".join(chance.choices(PIECES, k=chance.randrange(4)))
        at = types.Range(position(text, begin, encoding), position(text, max(begin, end), encoding))
        editor.change(uri, (at, new))
        text = text[:begin] + new + text[max(begin, end) :]
    marker = "\n;\n__global__ void at_the_end(float* x) { x[0] = 1; }\n"
    at_end = position(text, len(text), encoding)
    editor.change(uri, (types.Range(at_end, at_end), marker))
    fresh = await editor.open(tmp_path / "fresh.cu", text + marker)
    assert await symbols(editor, uri) == await symbols(editor, fresh)
    assert "at_the_end" in [s[0] for s in await symbols(editor, fresh)]


async def symbols(editor: Any, uri: str) -> list[Any]:
    found = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    )
    return [(s.name, s.range, s.selection_range) for s in found]


def position(text: str, offset: int, encoding: str) -> types.Position:
    """What a client with lines as LSP has them says of an offset."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return types.Position(len(before) - 1, UNITS[encoding](before[-1]))


async def test_places_beyond_the_end_mean_the_end(start: Any, tmp_path: Path) -> None:
    editor = await start(UNTRUSTED)
    uri = await editor.open(tmp_path / "short.cu", "void f() {}")
    far = types.Position(99, 99)
    editor.change(uri, (types.Range(far, far), "\nvoid g() {}"))
    editor.change(uri, (types.Range(types.Position(0, 99), types.Position(0, 99)), " // end"))
    editor.change(uri, (types.Range(types.Position(1, 0), types.Position(1, 0)), "// "))
    assert [name for name, _, _ in await symbols(editor, uri)] == ["f"]


async def test_diagnostics_move_with_the_text(start: Any, tmp_path: Path) -> None:
    editor = await start(UNTRUSTED)
    uri = await editor.open(tmp_path / "moving.cu", "// kernelwright: tusk=x\n__global__ void k() {}\n")
    await editor.until(lambda: "BIND_DIRECTIVE" in editor.codes(uri))
    top = types.Position(0, 0)
    editor.change(uri, (types.Range(top, top), "// one more line\n"))

    def moved() -> bool:
        lines = [d.range.start.line for d in editor.diagnostics(uri) if d.code == "BIND_DIRECTIVE"]
        return lines == [1]

    await editor.until(moved)
    editor.change(uri, (types.Range(types.Position(1, 0), types.Position(2, 0)), ""))
    await editor.until(lambda: "BIND_DIRECTIVE" not in editor.codes(uri))
