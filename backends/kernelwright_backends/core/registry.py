"""The registry of dialects: which one a document is, its indexer, its toolchains. Each is imported when first asked for."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.core.target import Dialect, Target
from kernelwright_backends.interfaces.toolchain import Indexer, Toolchain
from kernelwright_backends.untrusted.reading import read_text_bounded

SUFFIXES = (".cu", ".cuh", ".asc")
SHARED_SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hpp")


class ToolchainUnavailable(RuntimeError):
    """Nothing here executes this target; the message says what to do about it."""


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


def fixes_of(dialect: Dialect, text: str, finding: Finding) -> tuple[SuggestedFix, ...]:
    """The mechanical repairs of a finding in `text`; none where nobody knows one."""
    if dialect == "cuda":
        from kernelwright_backends.cuda.fixes.table import fixes

        return fixes(text, finding)
    return ()


@cache
def runtime_names(dialect: Dialect) -> frozenset[str]:
    """Functions that the runtime of the CPU target has, its own and those of the dialect's host interface."""
    if dialect == "ascendc":
        from kernelwright_backends.ascendc.cpu import prebuilt as ascendc

        return ascendc.runtime_names()
    from kernelwright_backends.cuda.cpu import prebuilt as cuda

    return cuda.runtime_names()


@cache
def toolchain_for(target: Target) -> Toolchain:
    """What builds and runs the candidates of a target.

    Raises:
        ToolchainUnavailable: this target is not to be had here.
    """
    if target.dialect == "cuda" and target.where == "cpu":
        from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain

        return CudaCpuToolchain()
    if target.dialect == "cuda":
        return _on_gpu(target)
    if target.where == "cpu":
        from kernelwright_backends.ascendc.cpu.ascendc_cpu_toolchain import AscendcCpuToolchain

        return AscendcCpuToolchain()
    return _on_npu(target)


def _on_npu(target: Target) -> Toolchain:
    from kernelwright_backends.ascendc.npu import installation as here

    try:
        here.npu_for(target, here.find_npus())
        here.find_cann().program("bisheng")
    except (here.NpuMissing, here.CannMissing) as missing:
        raise ToolchainUnavailable(str(missing)) from None
    from kernelwright_backends.ascendc.npu.ascendc_npu_toolchain import AscendcNpuToolchain

    return AscendcNpuToolchain()


def _on_gpu(target: Target) -> Toolchain:
    from kernelwright_backends.cuda.gpu import device
    from kernelwright_backends.cuda.nvcc import toolkit

    try:
        found = device.find_devices()
        first = device.devices_for(target, found)[0]
        toolkit.toolkit_for(first.architecture, found.cuda)
    except device.DeviceMissing as missing:
        raise ToolchainUnavailable(str(missing)) from None
    except toolkit.ToolkitMissing as missing:
        raise ToolchainUnavailable(f"{target}: {missing}") from None
    from kernelwright_backends.cuda.gpu.cuda_gpu_toolchain import CudaGpuToolchain

    return CudaGpuToolchain()
