"""The region of an entry: what a candidate may change."""

import re

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_verifier.candidate.additions import forbidden_addition
from kernelwright_verifier.candidate.bare import is_bare
from kernelwright_verifier.candidate.file_scope import items
from kernelwright_verifier.candidate.region_rules import Offence, Scope, by_lines, offences
from kernelwright_verifier.task.directive import Directive, read_directives


def region_spans(text: bytes, index: SourceIndex, entry: str) -> tuple[tuple[int, int], ...]:
    """Byte spans of an entry's region, in order: its directive, its host function, and the kernels and device functions
    that only it reaches."""
    return _spans(text, index, entry, frozenset())


def _spans(
    text: bytes, index: SourceIndex, entry: str, former: frozenset[str]
) -> tuple[tuple[int, int], ...]:
    """The spans, together with functions that belonged to the region before and that nobody reaches any more."""
    own = {f.start_byte: f for f in index.reached_from(entry)}
    own |= {f.start_byte: f for f in (*index.functions, *index.kernels) if f.qualified_name in former}
    others = {
        function.start_byte
        for other in _other_entries(index, entry)
        for function in index.reached_from(other)
    }
    spans = [
        (_with_comment(text, f.start_byte), f.end_byte) for start, f in own.items() if start not in others
    ]
    lines = _line_starts(text)
    for comment in index.comments:
        for directive in read_directives((comment,), "").entries:
            if _plain(directive.get("entry") or "") == _plain(entry):
                at = comment.range
                spans.append(
                    (_byte(text, lines, at.line, at.column), _byte(text, lines, at.end_line, at.end_column))
                )
    return tuple(sorted(spans))


def outside_region_changed(
    old: bytes, old_index: SourceIndex, new: bytes, new_index: SourceIndex, entry: str
) -> str | None:
    """None if `new` changes nothing outside of the region of `entry` that it may not, else all that it does, as `region_offences`."""
    found = region_offences(old, old_index, new, new_index, entry)
    return "; ".join(offence.message for offence in found) or None


def region_offences(
    old: bytes, old_index: SourceIndex, new: bytes, new_index: SourceIndex, entry: str
) -> tuple[Offence, ...]:
    """What `new` does outside of the region of `entry`, which is not its own; nothing where it keeps to it.

    Blank space where the region was cut out does not count. The directive belongs to the region, but not what it says of
    the question: the task, the sizes, the preconditions and the target. Types, constants, aliases and templates that only the region
    uses belong to it as well. What may be added anywhere stands in `region_rules.py`. Of a file that holds no code yet only comments
    and includes stay; what a candidate adds is its own.
    """
    if (added := forbidden_addition(old, new)) is not None:
        return (Offence(added, 1),)
    was, now = _directive(old_index, entry), _directive(new_index, entry)
    found = []
    for key in ("task", "size", "requires", "target"):
        asked, answered = (directive.get(key) if directive is not None else None for directive in (was, now))
        if asked != answered or (was is not None and now is None):
            found.append(Offence(f"the directive's {key}= changed", now.range.line if now is not None else 1))
            if now is None:
                break
    if is_bare(old.decode("utf-8", "replace")):
        removed = _comment_removed(old, old_index, new)
        return (*found, Offence(removed, 1)) if removed is not None else tuple(found)
    spans_old = _spans(old, old_index, entry, frozenset())
    spans_new = _spans(new, new_index, entry, _region_names(old_index, entry))
    lines_old, lines_new = (
        _lines(_outside(text, spans)) for text, spans in ((old, spans_old), (new, spans_new))
    )
    if lines_old == lines_new:
        return tuple(found)
    items_old, items_new = items(old, old_index.dialect), items(new, new_index.dialect)
    if items_old is None or items_new is None:
        return (*found, *by_lines(iter(lines_old), iter(lines_new)))
    return (*found, *offences(Scope(old, items_old, spans_old), Scope(new, items_new, spans_new)))


def _comment_removed(old: bytes, old_index: SourceIndex, new: bytes) -> str | None:
    """What a file without code held besides directives, and `new` does not in that order: its comments and includes."""
    lines = _line_starts(old)
    directives = [
        (
            _byte(old, lines, c.range.line, c.range.column),
            _byte(old, lines, c.range.end_line, c.range.end_column),
        )
        for c in old_index.comments
    ]
    there = iter(_lines(new))
    missing = next((line for line in _lines(_outside(old, tuple(directives))) if line not in there), None)
    return f"'{missing.decode(errors='replace').strip()}' was removed" if missing is not None else None


_COMMENT_ABOVE = re.compile(
    rb"(?:^[ \t]*(?://(?!\s*kernelwright:)[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\r?\n)+\Z", re.MULTILINE
)


def _with_comment(text: bytes, start: int) -> int:
    """Where a function begins with the comment that stands directly above it; a directive is none."""
    line = text.rfind(b"\n", 0, start) + 1
    if text[line:start].strip():
        return start
    above = _COMMENT_ABOVE.search(text, max(0, line - 4096), line)
    return above.start() if above else start


def _region_names(index: SourceIndex, entry: str) -> frozenset[str]:
    others = {f.start_byte for other in _other_entries(index, entry) for f in index.reached_from(other)}
    return frozenset(f.qualified_name for f in index.reached_from(entry) if f.start_byte not in others)


def _outside(text: bytes, spans: tuple[tuple[int, int], ...]) -> bytes:
    kept, position = [], 0
    for start, end in spans:
        kept.append(text[position:start])
        position = max(position, end)
    kept.append(text[position:])
    return b"\n".join(kept)


def _lines(text: bytes) -> list[bytes]:
    return [line.rstrip() for line in re.split(rb"\r\n|\r|\n", text) if line.strip()]


def _directive(index: SourceIndex, entry: str) -> Directive | None:
    directives = (d for comment in index.comments for d in read_directives((comment,), "").entries)
    return next((d for d in directives if _plain(d.get("entry") or "") == _plain(entry)), None)


def _other_entries(index: SourceIndex, entry: str) -> list[str]:
    reached = {f.start_byte for f in index.reached_from(entry)}
    named = [
        name
        for comment in index.comments
        for directive in read_directives((comment,), "").entries
        if (name := directive.get("entry")) and _plain(name) != _plain(entry)
    ]
    hosts: list[Function] = [f for f in index.entries if f.start_byte not in reached]
    return [*named, *(f.qualified_name for f in hosts)]


def _plain(name: str) -> str:
    return name.split("<", 1)[0].strip().rsplit("::", 1)[-1]


def _line_starts(text: bytes) -> list[int]:
    return [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", text))]


def _byte(text: bytes, lines: list[int], line: int, column: int) -> int:
    """The byte offset of a line and column (from 1, in code points)."""
    start = lines[line - 1]
    end = lines[line] if line < len(lines) else len(text)
    return start + len(text[start:end].decode("utf-8", "replace")[: column - 1].encode())
