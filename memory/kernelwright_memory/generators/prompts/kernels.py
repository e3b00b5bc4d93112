"""A kernel of another run as a note shows it: its entry with what only it reaches, whole functions only."""

import re

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Dialect
from kernelwright_memory.generators.prompts.filling import one_line
from kernelwright_verifier.candidate.file_scope import items
from kernelwright_verifier.candidate.region import region_spans

_ENTRY = re.compile(r"\bentry=(\"[^\"]*\"|\S+)")
# Of every file; nothing is learned from them.
_LEFT_OUT = ("include", "module")


def shown_kernel(text: str, dialect: Dialect, limit: int) -> str:
    """The region of a file's entry, with the types and constants of the file, up to `limit` characters.

    What does not fit is left out as a whole, and said.
    """
    source = text.encode()
    index = index_of(dialect, text)
    found = items(source, dialect)
    entry = next((m[1].strip('"') for c in index.comments if (m := _ENTRY.search(c.text))), None)
    spans = region_spans(source, index, entry) if entry is not None else ()
    if found is None or not spans:
        return text if len(text) <= limit else "(a kernel that is too long to be shown)"
    others = [
        (item.start, item.end)
        for item in found
        if item.kind not in _LEFT_OUT and item.kind != "function" and not item.blocks
    ]
    pieces: list[tuple[int, int]] = []
    for start, end in sorted({*spans, *others}):
        if pieces and start < pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], end))
        else:
            pieces.append((start, end))
    parts = [source[start:end].decode("utf-8", "replace").strip() for start, end in pieces]
    # The entry comes last, and without it the rest says little. A part that does not fit leaves room for smaller ones.
    kept: set[int] = set()
    length = 0
    for place in reversed(range(len(parts))):
        if length + len(parts[place]) <= limit:
            length += len(parts[place]) + 1
            kept.add(place)
    if not kept:
        return "(a kernel that is too long to be shown)"
    shown = [
        part if place in kept else f"// left out: {_first_line(part)}" for place, part in enumerate(parts)
    ]
    return "\n".join(shown)


def _first_line(part: str) -> str:
    code = [line for line in part.split("\n") if not line.lstrip().startswith(("//", "/*", "*"))]
    return one_line((code or [part])[0].rstrip(" {"), 120)
