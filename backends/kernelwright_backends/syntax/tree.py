"""One syntax tree that follows the edits of its document."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Parser, Tree


@cache
def language() -> Language:
    """The grammar of CUDA C++, which also reads Ascend C once its qualifiers are blanked."""
    import tree_sitter_cuda

    return Language(tree_sitter_cuda.language())


@dataclass(frozen=True)
class Prepared:
    """A text of the same length that the grammar can read, and what was blanked and still means something."""

    text: bytes
    marks: dict[int, frozenset[str]] = field(default_factory=dict)
    """Start of a blanked macro -> those of `__global__`, `__device__`, `__host__` that it stands for."""


@dataclass(frozen=True)
class Change:
    """Bytes [start, old_end) of `before` became [start, new_end) of `after`."""

    start: int
    old_end: int
    new_end: int
    before: bytes
    after: bytes


Prepare = Callable[[bytes], Prepared]


class SyntaxTree:
    """The tree of one text. Editing costs what changed, whatever the length of the text."""

    def __init__(self, text: bytes, prepare: Prepare) -> None:
        self._parser = Parser(language())
        self.prepare = prepare
        self.replace(text)

    def replace(self, text: bytes) -> None:
        self.original = text
        self.prepared = self.prepare(text)
        self.tree: Tree = self._parser.parse(self.prepared.text)

    def follow(self, text: bytes) -> Change:
        """Take the text as it is after an edit; what changed of what the grammar reads.

        What changed is found by comparing, since blanking may change more than the edit did: a parenthesis
        that is typed may complete a qualifier.
        """
        prepared = self.prepare(text)
        old, new = self.prepared.text, prepared.text
        start = _common_prefix(old, new)
        tail = _common_prefix(old[start:][::-1], new[start:][::-1])
        old_end, new_end = len(old) - tail, len(new) - tail
        if start < max(len(old), len(new)):
            self.tree.edit(
                start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end)
            )
            self.tree = self._parser.parse(new, self.tree)
        self.original, self.prepared = text, prepared
        return Change(start, old_end, new_end, old, new)


def _common_prefix(a: bytes, b: bytes) -> int:
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while low < high - 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _point(text: bytes, offset: int) -> tuple[int, int]:
    """Row and column as tree-sitter counts them: rows end with \\n only, columns are bytes."""
    return text.count(b"\n", 0, offset), offset - (text.rfind(b"\n", 0, offset) + 1)
