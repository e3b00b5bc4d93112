"""Suggested fixes: small edits of a document for a finding. Each dialect derives its own."""

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.model import Model


class Edit(Model):
    """Replace a stretch of the text; an empty one is a place to insert at."""

    range: Range
    text: str


class SuggestedFix(Model):
    """One fix. Its edits do not overlap."""

    title: str
    edits: tuple[Edit, ...]


def fixed(text: str, fix: SuggestedFix) -> str:
    """`text` with a fix applied."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    places = [
        (
            starts[edit.range.line - 1] + edit.range.column - 1,
            starts[edit.range.end_line - 1] + edit.range.end_column - 1,
            edit.text,
        )
        for edit in fix.edits
    ]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text
