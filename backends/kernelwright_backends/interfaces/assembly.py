"""What a real compiler makes of kernels: assembly, every line with the source lines that it comes from."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.core.model import Model
from kernelwright_backends.interfaces.build import CompileOptions
from kernelwright_backends.interfaces.confinement import Confinement

ListingForm = Literal["ptx", "sass"]


class ListingError(RuntimeError):
    """There is no listing; the message says why, and what to do about it."""


class Place(Model):
    path: str
    line: int


class Instructions(Model):
    """One function as the compiler wrote it."""

    symbol: str
    name: str
    """demangled, with template arguments and without parameters"""
    kernel: bool
    lines: tuple[str, ...]
    origins: tuple[tuple[Place, ...], ...]
    """of each line: where it comes from, innermost first, then the calls that it was inlined through"""
    calls: tuple[str, ...] = ()
    """symbols of functions that were not inlined"""


class Listing(Model):
    """All functions of one text for one architecture."""

    form: ListingForm
    architecture: str
    version: str
    """of nvcc"""
    functions: tuple[Instructions, ...]
    resources: dict[str, dict[str, int]] = {}
    """by kernel, as `nvcc.Opinion` has them; empty for PTX, whose registers are not yet allotted"""
    headers: dict[str, str] = {}

    def of(self, functions: Iterable[Function], path: Path) -> tuple[Instructions, ...]:
        """The kernels that were made of functions of the document at `path`: each instance of a template is one."""
        wanted = tuple(functions)
        return tuple(
            made
            for made in self.functions
            if made.kernel and any(_made_of(made, function, str(path)) for function in wanted)
        )

    def with_called(self, chosen: Iterable[Instructions]) -> tuple[Instructions, ...]:
        """The chosen ones, and after them the functions that they call."""
        by_symbol = {made.symbol: made for made in self.functions}
        found: dict[str, Instructions] = {}
        waiting = list(chosen)
        while waiting:
            made = waiting.pop(0)
            if made.symbol not in found:
                found[made.symbol] = made
                waiting += [by_symbol[name] for name in made.calls if name in by_symbol]
        return tuple(found.values())


class ListingDocument(Model):
    """A listing as a document, and which of its lines belong to which lines of the source."""

    text: str
    spans: tuple[tuple[int, int, tuple[int, ...]], ...]
    """(first line, last line, source lines innermost first), all from 1; of the source's own file only"""


class Assembler(Protocol):
    """What shows the assembly of a dialect's kernels; it needs no device."""

    ARCHITECTURES: tuple[str, ...]
    """what is offered where nobody names one"""

    async def listing(
        self,
        content: bytes,
        path: Path,
        index: SourceIndex,
        architecture: str,
        form: ListingForm,
        options: CompileOptions,
        confinement: Confinement,
    ) -> Listing:
        """Compile `content`, standing for `path`, and read what was made.

        Args:
            architecture: `sm_90`, ...

        Raises:
            ListingError: there is no compiler, or it does not take the text or the architecture.
            ConfinementError: nothing here can confine the compiler.
        """
        ...

    def document_of(
        self, shown: Sequence[Instructions], listing: Listing, path: Path, source: str
    ) -> ListingDocument:
        """`shown` one after the other, each with a head, and the source lines as comments between."""
        ...


def _made_of(made: Instructions, function: Function, path: str) -> bool:
    if made.name.split("<", 1)[0].rsplit("::", 1)[-1] != function.name:
        return False
    lines = [place.line for places in made.origins for place in places[-1:] if place.path == path]
    # Two kernels of one name (overloads, other namespaces) are distinguished by where they stand.
    return not lines or any(function.range.line <= line <= function.range.end_line for line in lines)
