"""What the CPU target does not execute: said once, at its line, instead of a flood of the compiler's errors."""

from dataclasses import dataclass

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.assembly import on_device
from kernelwright_backends.cuda.cpu.text import Lines, walk
from kernelwright_backends.finding import Range

_LIBRARIES = {
    "cublas": "cuBLAS", "cudnn": "cuDNN", "cufft": "cuFFT", "cusparse": "cuSPARSE", "cusolver": "cuSOLVER",
    "cutensor": "cuTENSOR", "nccl": "NCCL", "curand.h": "cuRAND's host interface", "thrust/": "Thrust",
    "cutlass/": "CUTLASS", "cute/": "CuTe", "nvToolsExt": "NVTX", "cuda/std": "libcu++",
    "cuda_fp4": "4-bit floating point", "cudaTypedefs": "tensor maps", "nvrtc": "run-time compilation",
    "cudaProfiler": "the profiler interface",
}  # fmt: skip
_NAMES = {
    "texture": "texture references", "cudaTextureObject_t": "textures", "cudaSurfaceObject_t": "surfaces",
    "tex1Dfetch": "textures", "tex1D": "textures", "tex2D": "textures", "tex3D": "textures",
    "surf2Dread": "surfaces", "surf2Dwrite": "surfaces", "cudaCreateTextureObject": "textures",
    "cudaBindTexture": "textures", "cudaLaunchKernelEx": "extended launches",
    "cudaGraphCreate": "graphs", "cudaStreamBeginCapture": "graphs", "cudaGraphLaunch": "graphs",
    "cudaGraphInstantiate": "graphs", "CUtensorMap": "tensor maps (TMA)",
    "cluster_group": "thread block clusters", "this_cluster": "thread block clusters",
    "curandGenerator_t": "cuRAND's host interface",
    "cudaMallocArray": "arrays for textures", "cudaMemcpyToArray": "arrays for textures",
}  # fmt: skip


@dataclass(frozen=True)
class Unsupported:
    """A place and what stands there."""

    range: Range
    feature: str


def _declares(node: Node) -> bool:
    """Whether a name is here given to something of the file's own, which may be called as it likes."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type in ("struct_specifier", "class_specifier"):
        return parent.child_by_field_name("body") is not None
    if parent.type in (
        "namespace_definition",
        "parameter_declaration",
        "preproc_def",
        "preproc_function_def",
    ):
        return node.type != "type_identifier"
    return parent.type.endswith("declarator")


def find_unsupported(root: Node, text: bytes, lines: Lines) -> list[Unsupported]:
    """Every feature once, where it is first used."""
    found: list[Unsupported] = []
    seen: set[str] = set()
    names: list[tuple[Node, str]] = []
    own: set[str] = set()

    def add(node: Node, feature: str, *, again: bool = False) -> None:
        if again or feature not in seen:
            seen.add(feature)
            found.append(Unsupported(lines.range(node.start_byte, node.end_byte), feature))

    for node in walk(root):
        if node.type == "preproc_include":
            path = node.child_by_field_name("path")
            spelled = (path.text or b"").decode("utf-8", "replace").strip('<>"') if path else ""
            for start, feature in _LIBRARIES.items():
                if spelled.startswith(start):
                    add(node, feature)
        elif node.type in ("identifier", "type_identifier", "namespace_identifier"):
            name = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
            if name in _NAMES:
                names.append((node, name))
                if _declares(node):
                    own.add(name)
        elif node.type == "kernel_call_syntax" and on_device(node):
            add(node.parent or node, "dynamic parallelism (a kernel that launches a kernel)", again=True)
    for node, name in names:
        if name not in own:
            add(node, _NAMES[name])
    return found
