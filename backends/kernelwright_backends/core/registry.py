"""The registry of dialects: which one a document is, its indexer, its toolchains. Each is imported when first asked for."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.core.target import DEFAULT_TARGETS, Dialect, Target
from kernelwright_backends.core.unavailable import ToolchainUnavailable
from kernelwright_backends.interfaces.indexer import Indexer
from kernelwright_backends.interfaces.toolchain import Toolchain
from kernelwright_backends.untrusted.reading import read_text_bounded

if TYPE_CHECKING:
    from kernelwright_backends.interfaces.dialect import DialectSupport

__all__ = [
    "SHARED_SUFFIXES", "SUFFIXES", "ToolchainUnavailable", "dialect_of", "fixes_of", "index_of", "indexer_for", "kernel_files",
    "runtime_names", "support_of", "supports", "toolchain_for",
]  # fmt: skip

SUFFIXES = (".cu", ".cuh", ".asc")
SHARED_SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hpp")


def dialect_of(path: Path, text: str) -> Dialect | None:
    """The dialect of a document, from its name and text; None where it is neither."""
    suffix = path.suffix.lower()
    if suffix in (".cu", ".cuh"):
        return "cuda"
    if suffix == ".asc":
        return "ascendc"
    if suffix in SHARED_SUFFIXES and ("__aicore__" in text or "kernel_operator.h" in text):
        return "ascendc"
    return None


def kernel_files(folder: Path) -> Iterator[Path]:
    """Every kernel file below a folder, in no order: by its suffix, or C++ that is of a dialect by its text. Hidden folders
    are left out."""
    top = folder.resolve()
    for path in folder.rglob("*"):
        if any(part.startswith(".") or part == "node_modules" for part in path.relative_to(folder).parts):
            continue
        if path.suffix not in (*SUFFIXES, *SHARED_SUFFIXES) or not path.is_file():
            continue
        # A link out of the folder that was named leads to what nobody named.
        if path.is_symlink() and not path.resolve().is_relative_to(top):
            continue
        if path.suffix in SUFFIXES:
            yield path
            continue
        try:
            if dialect_of(path, read_text_bounded(path)):
                yield path
        except (OSError, UnicodeDecodeError):
            continue


@cache
def support_of(dialect: Dialect) -> "DialectSupport":
    """What a dialect is to those who verify its kernels and show them."""
    if dialect == "cuda":
        from kernelwright_backends.cuda.support import support as cuda

        return cuda
    from kernelwright_backends.ascendc.support import support as ascendc

    return ascendc


def supports() -> "Iterator[DialectSupport]":
    """Of every dialect."""
    return map(support_of, DEFAULT_TARGETS)


def indexer_for(dialect: Dialect) -> Indexer:
    """A new indexer for one document."""
    return support_of(dialect).indexer()


def index_of(dialect: Dialect, text: str) -> SourceIndex:
    """The index of a whole document."""
    indexer = indexer_for(dialect)
    indexer.replace(text.encode())
    return indexer.index


def fixes_of(dialect: Dialect, text: str, finding: Finding) -> tuple[SuggestedFix, ...]:
    """The mechanical repairs of a finding in `text`; none where nobody knows one."""
    return support_of(dialect).fixes(text, finding)


@cache
def runtime_names(dialect: Dialect) -> frozenset[str]:
    """Functions that the runtime of the CPU target has, its own and those of the dialect's host interface."""
    return support_of(dialect).runtime_names()


@cache
def toolchain_for(target: Target) -> Toolchain:
    """What builds and runs the candidates of a target.

    Raises:
        ToolchainUnavailable: this target is not to be had here.
    """
    return support_of(target.dialect).toolchain(target)
