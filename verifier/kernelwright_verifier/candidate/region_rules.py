"""What a candidate does outside of its entry's region, construct by construct: what was there stays, what is added is harmless.

Harmless are comments, includes, `using`, types, constants, templates, namespaces and further functions whose names the rest of the file
does not know. A macro or a condition is not: it reaches into whatever stands below it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from kernelwright_verifier.candidate.file_scope import Item

Spans = Sequence[tuple[int, int]]
"""bytes [start, end) of a region, in order"""

_WORD = re.compile(rb"[A-Za-z_]\w*")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_NAMED_NAMESPACE = re.compile(rb"(?:inline )?namespace \w")
_FREE = ("comment", "include", "using", "namespace", "linkage", "assertion")
_NAMING = ("alias", "type", "template", "function")
_OWNED = ("alias", "type", "template", "declaration")
_LONGEST = 80


class Offence(NamedTuple):
    """One thing that a candidate may not do."""

    message: str
    line: int
    """in the candidate, from 1"""


class Scope(NamedTuple):
    """A text with its items and the spans of an entry's region."""

    text: bytes
    items: tuple[Item, ...]
    spans: Spans

    def outside(self) -> list[Item]:
        """The items that are not part of the region."""
        return [i for i in self.items if not any(s <= i.start and i.end <= e for s, e in self.spans)]

    def own_text(self, item: Item) -> bytes:
        """An item without the parts of the region in it, blank space at ends of lines and blank lines aside."""
        kept, position = [], item.start
        for start, end in self.spans:
            if item.start <= start and end <= item.end:
                kept.append(self.text[position:start])
                position = max(position, end)
        kept.append(self.text[position : item.end])
        lines = re.split(rb"\r\n|\r|\n", b"\n".join(kept))
        return b"\n".join(line.rstrip() for line in lines if line.strip())

    def words(self, item: Item) -> set[str]:
        """Identifiers of an item's code."""
        return {word.decode() for word in _WORD.findall(_COMMENT.sub(b" ", self.own_text(item)))}

    def line(self, item: Item) -> int:
        return self.text.count(b"\n", 0, item.start) + 1


def offences(old: Scope, new: Scope) -> tuple[Offence, ...]:
    """Everything that `new` changes of what `old` has outside of the region, in the order of its lines."""
    before, after = old.outside(), new.outside()
    owned = _owned(old, before)
    kept = [item for item in before if item not in owned]
    keys_before = [(i.blocks, old.own_text(i)) for i in kept]
    keys_after = [(i.blocks, new.own_text(i)) for i in after]
    matched_old, matched_new = set[int](), set[int]()
    for a, b, size in SequenceMatcher(None, keys_before, keys_after, autojunk=False).get_matching_blocks():
        matched_old.update(range(a, a + size))
        matched_new.update(range(b, b + size))
    added = [item for n, item in enumerate(after) if n not in matched_new]
    found = [
        _lost(old, item, new, added)
        for n, item in enumerate(kept)
        if n not in matched_old and not _still_there(item, keys_before[n], keys_after)
    ]
    known = {word for item in kept for word in old.words(item)}
    has_module = any(item.kind == "module" for item in kept)
    changed = {name for n, item in enumerate(kept) if n not in matched_old for name in item.names}
    for item in added:
        reason = _forbidden(new, item, known, has_module)
        if reason and not (item.names and item.names <= changed):
            found.append(Offence(reason, new.line(item)))
    return tuple(sorted(found, key=lambda offence: offence.line))


def _still_there(
    item: Item, key: tuple[tuple[bytes, ...], bytes], keys_after: list[tuple[tuple[bytes, ...], bytes]]
) -> bool:
    """An include may stand elsewhere among the includes."""
    return item.kind == "include" and key in keys_after


def _owned(scope: Scope, outside: list[Item]) -> list[Item]:
    """Types, constants and the like that only the region uses: they belong to it."""
    region = {
        word.decode()
        for start, end in scope.spans
        for word in _WORD.findall(_COMMENT.sub(b" ", scope.text[start:end]))
    }
    owned = [i for i in outside if i.kind in _OWNED and i.names and (i.kind != "declaration" or i.constant)]
    while True:
        others = {w for i in outside if i not in owned and i.kind != "comment" for w in scope.words(i)}
        users = region.union(*(scope.words(i) - i.names for i in owned)) if owned else region
        still = [i for i in owned if not i.names & others and i.names & users]
        if still == owned:
            return owned
        owned = still


def _lost(old: Scope, item: Item, new: Scope, added: list[Item]) -> Offence:
    """What is said of an item that is there no more."""
    instead = next(
        (a for a in added if a.kind == item.kind and (a.names == item.names or item.kind == "comment")), None
    )
    what = f"{_called(item)} '{_shown(old.own_text(item))}'"
    if instead is not None:
        return Offence(f"{what} was replaced by '{_shown(new.own_text(instead))}'", new.line(instead))
    return Offence(f"{what} was removed", min(old.line(item), new.text.count(b"\n") + 1))


def _forbidden(scope: Scope, item: Item, known: set[str], has_module: bool) -> str | None:
    """Why an item may not be added; None where it may."""
    shown = _shown(scope.own_text(item))
    if item.kind in _FREE:
        return None
    if item.kind in ("macro", "directive", "conditional"):
        instead = "; write a constexpr" if item.kind == "macro" else ""
        return f"{_called(item)} '{shown}' was added, which reaches into the code below it{instead}"
    if item.kind == "module":
        return f"'{shown}' was added, and the file has one already" if has_module else None
    if item.kind == "code":
        return f"'{shown}' was added, which is no declaration"
    variable = (
        item.kind == "declaration"
        and not item.constant
        and b"(" not in scope.own_text(item).partition(b"=")[0]
    )
    if variable:
        return f"the variable '{shown}' was added; only constants may be"
    apart = any(_NAMED_NAMESPACE.match(block) for block in item.blocks)
    taken = sorted(item.names & known) if not apart else []
    if taken:
        return f"{_called(item)} '{shown}' was added, and '{taken[0]}' is a name of the rest of the file"
    return None


def _called(item: Item) -> str:
    names = {
        "macro": "the macro", "directive": "the directive", "conditional": "the condition", "include": "the include",
        "comment": "the comment", "function": "the function", "type": "the type", "namespace": "the namespace",
        "template": "the template", "declaration": "the declaration", "alias": "the alias", "using": "the declaration",
    }  # fmt: skip
    return names.get(item.kind, "the code")


def _shown(text: bytes) -> str:
    """The first line of an item, as a message quotes it."""
    first = next((line.strip() for line in text.split(b"\n") if line.strip()), b"").decode("utf-8", "replace")
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 4].rsplit(' ', 1)[0]} ..."


def by_lines(old: Iterator[bytes], new: Iterator[bytes]) -> tuple[Offence, ...]:
    """The same for texts that cannot be read: line by line, and nothing may be added."""
    before, after = list(old), list(new)
    found = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = _shown(b"\n".join(before[i1:i2])), _shown(b"\n".join(after[j1:j2]))
        if gone and come:
            found.append(Offence(f"'{gone}' was replaced by '{come}'", 1))
        else:
            found.append(Offence(f"'{gone or come}' was {'removed' if gone else 'added'}", 1))
    return tuple(found)
