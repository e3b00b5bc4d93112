"""Spotting in CUDA C++: kernels, launches and entries of a document as it is typed."""

from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.syntax.blanking import blanker
from kernelwright_backends.syntax.indexing import DocumentIndexer

_prepare = blanker(
    words=(b"__grid_constant__", b"__tile_static__"),
    calls=(b"__cluster_dims__", b"__maxnreg__", b"__block_size__", b"__align__"),
    patterns={
        # The grammar takes a pragma for the statement that a loop repeats, and misses one after it.
        b"pragma": rb"#[ \t]*pragma[^\r\n]*",
        b"_Pragma": rb'_Pragma\s*\("[^"\r\n]*"\)',
        # It knows `__device__`, but not in `[=] __device__ (int i) {...}`.
        b"]": rb"(\])[ \t]*(?:__host__[ \t]*)?__device__(?=[ \t]*[({])",
    },
)


class CudaIndexer(DocumentIndexer):
    """The index of one open CUDA document."""

    def __init__(self, text: bytes = b"") -> None:
        super().__init__(text, "cuda", _prepare)


def index(text: bytes) -> SourceIndex:
    """The index of a whole document in UTF-8."""
    return CudaIndexer(text).index
