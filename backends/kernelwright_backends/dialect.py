"""The registry of dialects: which one a document is, its indexer, its toolchains. Each is imported when first asked for."""

from functools import cache
from pathlib import Path

from kernelwright_backends.kernel import SourceIndex
from kernelwright_backends.target import Dialect, Target
from kernelwright_backends.toolchain import Indexer, Toolchain

SUFFIXES = (".cu", ".cuh", ".asc")
SHARED_SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hpp")


class ToolchainUnavailable(RuntimeError):
    """Nothing here executes this target; the message says what to do about it."""


def dialect_of(path: Path, text: str) -> Dialect | None:
    """The dialect of a document, from its name and text; None where it is neither (editor.md section 3)."""
    suffix = path.suffix.lower()
    if suffix in (".cu", ".cuh"):
        return "cuda"
    if suffix == ".asc":
        return "ascendc"
    if suffix in SHARED_SUFFIXES and ("__aicore__" in text or "kernel_operator.h" in text):
        return "ascendc"
    return None


def indexer_for(dialect: Dialect) -> Indexer:
    """A new indexer for one document."""
    if dialect == "cuda":
        from kernelwright_backends.cuda.syntax import CudaIndexer

        return CudaIndexer()
    from kernelwright_backends.ascendc.syntax import AscendcIndexer

    return AscendcIndexer()


def index_of(dialect: Dialect, text: str) -> SourceIndex:
    """The index of a whole document."""
    indexer = indexer_for(dialect)
    indexer.replace(text.encode())
    return indexer.index


@cache
def toolchain_for(target: Target) -> Toolchain:
    """What builds and runs the candidates of a target.

    Raises:
        ToolchainUnavailable: this target is not to be had here.
    """
    if target.dialect == "cuda" and target.where == "cpu":
        from kernelwright_backends.cuda.cpu.toolchain import CudaCpuToolchain

        return CudaCpuToolchain()
    if target.dialect == "cuda":
        raise ToolchainUnavailable(
            f"{target}: running on a real GPU comes with a later version; cuda:{target.chip}@cpu executes it on the CPU"
        )
    raise ToolchainUnavailable(f"{target}: Ascend C is spotted and bound, but not executed by this version")
