"""What the modules of the constructs are given: a file of the translation unit, and the part of it that was parsed."""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node, Tree

from kernelwright_backends.cuda.cpu import ptx
from kernelwright_backends.cuda.cpu.analysis.declarations import Kernels, is_device_function
from kernelwright_backends.cuda.cpu.frontend.parsing import parser
from kernelwright_backends.host.edits import Copy, Edit, Piece
from kernelwright_backends.syntax.text import head_start

# Of the qualifiers that macros hide, those of functions.
_OF_FUNCTIONS = frozenset(("__global__", "__device__", "__host__"))
# A statement stands in a function, or the grammar takes it for a declaration.
_HEAD = b"void f() {"


@dataclass(frozen=True)
class Document:
    """One file of a translation unit, to be rewritten."""

    path: Path
    text: bytes
    tree: Tree
    # start and end of the paths of includes, and the rewritten header to read instead
    includes: Sequence[tuple[int, int, str]] = ()
    marks: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Where macros that stand for `__device__` and its like were blanked for the grammar, and for which."""


class File:
    """A document while it is rewritten: what is known of its functions, and what its constructs share."""

    def __init__(self, document: Document, kernels: Kernels) -> None:
        self.document, self.kernels = document, kernels
        self.text, self.hidden = document.text, document.marks
        self._marked_functions = sorted(at for at, words in self.hidden.items() if words & _OF_FUNCTIONS)
        self._number = 0
        # By function, of which the place tells one from another: what its assembly has left open.
        self.registers: dict[tuple[int, int], ptx.Registers] = {}
        # `__shared__` at file scope: name -> the declaration inside of a function that refers to it
        self.file_scope_shared: dict[bytes, str] = {}
        # Where functions begin that the compiler may leave out
        self.droppable: set[int] = set()

    def is_device(self, function: Node) -> bool:
        """Does this definition run on the device, also where a macro says so?"""
        if is_device_function(function):
            return True
        body = function.child_by_field_name("body")
        at = bisect_left(self._marked_functions, head_start(function))
        return at < len(self._marked_functions) and self._marked_functions[at] < (body or function).start_byte

    def hidden_between(self, start: int, end: int) -> frozenset[str]:
        """The qualifiers that macros hide between two bytes."""
        return frozenset().union(*(words for at, words in self.hidden.items() if start <= at < end))

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def unique_number(self) -> str:
        """A number that no name of another file has that is compiled with this one."""
        return f"{self.next_number()}_{hashlib.sha256(str(self.document.path).encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Fragment:
    """Text with a tree of its own, whose byte 0 is byte `base` of the file: all of it, a macro's, or a statement's."""

    file: File
    text: bytes
    root: Node
    base: int = 0
    # of the macro whose text this is
    macro_parameters: frozenset[str] = frozenset()

    @property
    def is_document(self) -> bool:
        return self.text is self.file.text

    def copy(self, start: int, end: int) -> Copy:
        return Copy(self.base + start, self.base + end)

    def copy_of(self, node: Node) -> Copy:
        return self.copy(node.start_byte, node.end_byte)

    def replaced(self, start: int, end: int, *pieces: Piece) -> Edit:
        return Edit(self.base + start, self.base + end, pieces)

    def in_place_of(self, node: Node, *pieces: Piece) -> Edit:
        return self.replaced(node.start_byte, node.end_byte, *pieces)

    def inserted(self, at: int, piece: str) -> Edit:
        return self.replaced(at, at, piece)

    def wrapped(self, node: Node, opening: str) -> Edit:
        """A call of `opening`, which ends with its bracket, around an expression."""
        return self.in_place_of(node, opening, self.copy_of(node), ")")


def of_document(file: File) -> Fragment:
    return Fragment(file, file.text, file.document.tree.root_node)


def in_a_function(
    file: File,
    statements: bytes,
    start: int,
    prepared: Callable[[bytes], bytes] = bytes,
    macro_parameters: frozenset[str] = frozenset(),
) -> Fragment:
    """Statements parsed by themselves, with as many bytes as stand in the file from byte `start` on.

    `prepared` makes of a text what the grammar is to see, byte for byte in the same places.
    """
    text = _HEAD + statements + b";}"
    return Fragment(
        file, text, parser().parse(prepared(text)).root_node, start - len(_HEAD), macro_parameters
    )
