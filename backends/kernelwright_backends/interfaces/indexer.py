"""The index of one open document."""

from typing import TYPE_CHECKING, Protocol

from kernelwright_backends.core.kernel import SourceIndex

if TYPE_CHECKING:
    from kernelwright_backends.syntax.tree import SyntaxTree


class Indexer(Protocol):
    """The index of one open document, kept while it is edited."""

    @property
    def index(self) -> SourceIndex: ...

    @property
    def syntax(self) -> "SyntaxTree":
        """The syntax tree that the index was read from, of the text as it is now."""
        ...

    def edit(self, start_byte: int, old_end_byte: int, new_end_byte: int, new_text: bytes) -> None:
        """Replace bytes [start_byte, old_end_byte) of the document by the new text's [start_byte, new_end_byte).

        `new_text` is the whole document after the edit, in UTF-8.
        """
        ...

    def replace(self, text: bytes) -> None: ...
