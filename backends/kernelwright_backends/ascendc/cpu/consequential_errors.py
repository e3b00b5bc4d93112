"""Errors that only follow from a name that is missing: it is reported once, with the other lines that need it."""

import re
from collections.abc import Iterator

from kernelwright_backends.core.finding import Finding, Related
from kernelwright_backends.host.places import Places

_MISSING = re.compile(
    r"'(?P<name>[\w:~]+)' (?:was not declared|has not been declared|does not name a type|is not a class|is not a namespace-name)"
)
# What the grammar says of a declaration whose type is missing.
_BROKEN = re.compile(
    r"^expected |forbids declaration|template argument \d+ is invalid|^no matching function|is not a template"
)
_NO_MEMBER = re.compile(r"has no member named '(?P<name>\w+)'")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_MOST_RELATED = 5


def without_consequences(found: list[Finding], places: Places) -> list[Finding]:
    """The findings of a compiler without those that follow from an earlier one: the same name missing again, the grammar's
    confusion on its line, and names that this line would have declared."""
    kept: list[Finding] = []
    others: dict[str, list[Finding]] = {}
    lines: set[tuple[str, int]] = set()
    undeclared: set[str | None] = set()
    texts = {str(r.path): r.original.splitlines() for r in places.files.values()}
    for one in found:
        missing, member = _MISSING.search(one.message), _NO_MEMBER.search(one.message)
        name = missing["name"] if missing is not None else member["name"] if member is not None else None
        at = one.path, one.line
        if one.code != "COMPILE_ERROR":
            kept.append(one)
            continue
        if missing is not None and name not in undeclared:
            lines.add(at)
            undeclared.update(_words(texts.get(one.path, []), one.line) - {name})
            if name in others:
                others[missing["name"]].append(one)
                continue
            others[missing["name"]] = []
        elif name in undeclared or (at in lines and _BROKEN.search(one.message)):
            continue
        kept.append(one)
    return [_with_others(one, others) for one in kept]


def _words(lines: list[bytes], number: int) -> set[str | None]:
    text = lines[number - 1] if 0 < number <= len(lines) else b""
    return {word.decode() for word in _WORD.findall(text)}


def _with_others(one: Finding, others: dict[str, list[Finding]]) -> Finding:
    missing = _MISSING.search(one.message)
    again = others.get(missing["name"], []) if missing is not None else []
    if one.code != "COMPILE_ERROR" or not again:
        return one
    related = (*one.related, *_needed(again))
    return one.model_copy(
        update={"message": f"{one.message}; {len(again)} more places need it", "related": related}
    )


def _needed(again: list[Finding]) -> Iterator[Related]:
    for other in again[:_MOST_RELATED]:
        yield Related(message="needed here too", path=other.path, line=other.line, column=other.column)
