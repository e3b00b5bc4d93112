"""What the CPU target of CUDA keeps of a build, to run it and to count what it does."""

from dataclasses import dataclass

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources
from kernelwright_backends.interfaces.build import BuildContext, CompileOptions


@dataclass(frozen=True)
class CudaCpuBuild(BuildContext):
    sources: CudaSources
    index: SourceIndex
    entry: Function | None
    program: bool
    """It has a `main` that is run, not an entry."""
    options: CompileOptions
    text: str
