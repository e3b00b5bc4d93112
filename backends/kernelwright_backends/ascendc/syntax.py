"""Spotting in Ascend C: its qualifiers are blanked, since no grammar knows them; nothing moves by that."""

from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.syntax.blanking import blanker
from kernelwright_backends.syntax.indexing import DocumentIndexer

prepare = blanker(
    words=(
        b"__aicore__",
        b"__gm__",
        b"__ubuf__",
        b"__cbuf__",
        b"__ca__",
        b"__cb__",
        b"__cc__",
        b"__fbuf__",
        b"__ssbuf__",
        b"__local_mem__",
        b"__vector__",
        b"__cube__",
        b"__simd_vf__",
        b"__simt_vf__",
        b"__simd_callee__",
        b"__simt_callee__",
        b"__inout_pipe__",
        b"__grid_constant__",
        b"__restrict__",
    ),
    calls=(b"__mix__", b"__cluster_dims__", b"__launch_bounds__", b"__attribute__"),
    patterns={b"[aicore]": rb"\[aicore\]", b"pragma": rb"#[ \t]*pragma[^\r\n]*"},
    device=b"__aicore__",
)


class AscendcIndexer(DocumentIndexer):
    """The index of one open Ascend C document."""

    def __init__(self, text: bytes = b"") -> None:
        super().__init__(text, "ascendc", prepare, {"GM_ADDR": "void *"})


def index(text: bytes) -> SourceIndex:
    """The index of a whole document in UTF-8."""
    return AscendcIndexer(text).index
