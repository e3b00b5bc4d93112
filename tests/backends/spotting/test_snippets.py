"""Every snippet is indexed as its expectation beside it says. `pytest --update-expectations` writes them anew."""

import json
from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.core.registry import dialect_of, indexer_for

SNIPPETS = Path(__file__).parent / "snippets"
FILES = sorted(p for p in SNIPPETS.iterdir() if p.suffix != ".json")


def place(at: Range) -> str:
    return f"{at.line}:{at.column}-{at.end_line}:{at.end_column}"


def function(item: Function) -> dict[str, Any]:
    shown = item.model_dump(
        exclude={"range", "name_range", "body_range", "parameters", "start_byte", "end_byte"}
    )
    shown |= {
        "range": place(item.range),
        "name_range": place(item.name_range),
        "body_range": place(item.body_range),
        "bytes": [item.start_byte, item.end_byte],
        "parameters": [
            {"at": place(p.range), **p.model_dump(exclude={"range"}, exclude_defaults=True)}
            for p in item.parameters
        ],
    }
    return {key: value for key, value in shown.items() if value not in ((), [], None, False)}


def shown(index: SourceIndex) -> dict[str, Any]:
    whole = {
        "dialect": index.dialect,
        "kernels": [function(k) for k in index.kernels],
        "functions": [function(f) for f in index.functions],
        "launches": [{**x.model_dump(exclude={"range"}), "range": place(x.range)} for x in index.launches],
        "includes": index.includes,
        "bindings": index.bindings,
        "comments": [{"text": c.text, "range": place(c.range)} for c in index.comments],
        "has_main": index.has_main,
        "syntax_errors": [place(e) for e in index.syntax_errors],
    }
    read: dict[str, Any] = json.loads(json.dumps(whole))
    return read


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_snippet(file: Path, request: pytest.FixtureRequest) -> None:
    text = file.read_bytes()
    dialect = dialect_of(file, text.decode())
    assert dialect is not None
    indexer = indexer_for(dialect)
    indexer.replace(text)
    expectation = file.with_name(file.name + ".json")
    if request.config.getoption("--update-expectations"):
        written = json.dumps(shown(indexer.index), indent=1, ensure_ascii=False)
        expectation.write_text(written + "\n", encoding="utf-8")
    assert shown(indexer.index) == json.loads(expectation.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_ranges_cut_out_what_they_name(file: Path) -> None:
    """Bytes and ranges speak of the same text, whatever its characters and line endings are."""
    text = file.read_bytes().decode()
    dialect = dialect_of(file, text)
    assert dialect is not None
    indexer = indexer_for(dialect)
    indexer.replace(text.encode())
    for item in (*indexer.index.kernels, *indexer.index.functions):
        assert cut(text, item.name_range).split("<")[0] == item.name
        assert cut(text, item.range) == text.encode()[item.start_byte : item.end_byte].decode()
        assert cut(text, item.range).endswith(cut(text, item.body_range))
        for parameter in item.parameters:
            assert parameter.name in cut(text, parameter.range)


def cut(text: str, at: Range) -> str:
    lines = text.replace("\r\n", "\0\n").replace("\r", "\n").replace("\0\n", "\r\n").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return text[starts[at.line - 1] + at.column - 1 : starts[at.end_line - 1] + at.end_column - 1]
