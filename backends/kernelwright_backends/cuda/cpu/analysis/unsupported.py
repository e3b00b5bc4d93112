"""CUDA features that the CPU target does not support: each reported once, at its line, instead of a flood of compiler errors.

The compiler says which names are missing in the code that is really compiled; here it is known what each name belongs to.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.analysis.declarations import in_conditional
from kernelwright_backends.cuda.cpu.analysis.inline_assembly import on_device
from kernelwright_backends.host.edits import Unsupported
from kernelwright_backends.syntax.text import Lines, walk

_GPU = "verify the kernel on a GPU (target cuda:...@gpu)"

# Headers by how their names begin.
_HEADERS = {
    "cublasXt": "cuBLAS", "cudnn": "cuDNN", "cufft": "cuFFT", "cusparse": "cuSPARSE", "cusolver": "cuSOLVER",
    "cutensor": "cuTENSOR", "nccl": "NCCL", "nvshmem": "NVSHMEM", "npp": "NPP", "nvjpeg": "nvJPEG",
    "curand_mtgp32": "cuRAND's Mersenne twister",
    "cutlass/": "CUTLASS", "cute/": "CuTe", "cuda_fp6": "6-bit floating point",
    "nvrtc": "run-time compilation", "nvJitLink": "run-time linking",
    "cudaProfiler": "the profiler of the driver interface", "cuda_gl_interop": "graphics interoperation",
    "cuda_d3d": "graphics interoperation", "cudaGL": "graphics interoperation", "cudaEGL": "graphics interoperation",
    "cuda_egl": "graphics interoperation", "cuda_vdpau": "graphics interoperation", "nvscibuf": "NvSci", "nvscisync": "NvSci",
    "cudla": "cuDLA", "cufile": "cuFile", "texture_": "textures", "surface_": "surfaces",
}  # fmt: skip

# Names as they are called, looked at in order.
_NAMES = tuple(
    (re.compile(pattern), feature)
    for pattern, feature in (
        (r"(un)?tex(1D|2D|3D|Cubemap)\w*|texture(Reference|Cubemap)?|texture_\w+|cudaTexture\w*|cuda(Create|Destroy|Get)TextureObject\w*|"
         r"cuda(Bind|Unbind)Texture\w*|cuda(ReadMode|AddressMode|FilterMode|BoundaryMode)\w*|cudaResource(Desc|Type|View)\w*|"
         r"cudaGetTexture\w+|cu(TexRef|TexObject)\w*", "textures"),
        (r"surf(1D|2D|3D|Cubemap)\w*|surface(Reference)?|cudaSurface\w*|cudaBoundaryMode\w*|cuda(Create|Destroy|Get)Surface\w*|"
         r"cudaBindSurface\w*|cuSurf\w*", "surfaces"),
        (r"cudaArray\w*|cudaMipmappedArray\w*|cuda(Malloc|Free|Get)(3D|Mipmapped)?\w*Array\w*|cudaMemcpy\w*Array\w*|cudaChannelFormat\w*|"
         r"cudaCreateChannelDesc\w*|cuArray\w*|cuMipmapped\w*", "arrays for textures"),
        (r"cudaGraphics\w*|cudaGL\w*|cudaEGL\w*|cudaEgl\w*|cudaD3D\w*|cudaVDPAU\w*|cuGraphics\w*|cuGL\w*|cuEGL\w*", "graphics interoperation"),
        (r"cuda(External|ImportExternal|DestroyExternal|SignalExternal|WaitExternal)\w*|NvSci\w*|cudaNvSci\w*", "external memory"),
        (r"cudaIpc\w*|cuIpc\w*", "memory shared between processes"),
        (r"CUtensorMap\w*|(PFN_)?cuTensorMap\w*|cp_async_bulk\w*|CU_TENSOR_MAP\w*", "tensor maps (TMA)"),
        (r"cudaLaunchAttribute\w*|__cluster\w*", "thread block clusters"),
        (r"cudaStream(FireAndForget|TailLaunch|GraphFireAndForget|GraphTailLaunch)\w*|cudaGetCurrentGraphExec",
         "dynamic parallelism (a kernel that launches a kernel)"),
        (r"cudaGraph\w*|CUgraph\w*|cuGraph\w*", "graphs that are built node by node"),
        (r"cudaMemPool\w*|cudaDevice[GS]et(Default)?MemPool|cudaMallocFromPoolAsync|cudaMemAllocationHandle\w*|cudaMemHandle\w*|cudaMemAccess\w*|"
         r"cudaMemAllocation\w*", "memory pools of the user's own"),
        (r"cublas\w*|CUBLAS_\w*|getCurrentCUDABlas\w*", "cuBLAS"),
        (r"cudnn\w*|CUDNN_\w*|getCudnnHandle", "cuDNN"),
        (r"cufft\w*|CUFFT_\w*", "cuFFT"),
        (r"cusparse\w*|CUSPARSE_\w*|getCurrentCUDASparse\w*", "cuSPARSE"),
        (r"cusolver\w*|CUSOLVER_\w*|getCurrentCUDASolver\w*", "cuSOLVER"),
        (r"curandGet(DirectionVectors|ScrambleConstants)\w*|curandDirectionVectorSet\w*|CURAND_(SCRAMBLED_)?DIRECTION_VECTORS\w*",
         "cuRAND's tables of direction vectors (a kernel may bring its own to curand_init)"),
        (r"curand(Generator|Create|Destroy|Set|Generate|Get|Status)\w*|CURAND_\w*", "cuRAND's host interface"),
        (r"nccl\w*", "NCCL"),
        (r"npp[is]\w*|Npp\w*", "NPP"),
        (r"nvml\w*", "NVML"),
        (r"nvrtc\w*|NVRTC_\w*|nvJitLink\w*", "run-time compilation"),
        (r"(cutlass|cute)(::\w+)*", "CUTLASS"),
        (r"CU(device|context|module|function|stream|event|deviceptr|result|library|kernel|linkState|jit|mem|ctx|uuid|array|texref|surfref|limit|"
         r"pointer|access|func|DEVICE|occupancy|launch)\w*|CU_\w+|CUDA_(SUCCESS|ERROR|MEMCPY|LAUNCH|RESOURCE|ARRAY|KERNEL|MEMSET|HOST|EXTERNAL|EXT|CONDITIONAL)\w*|"
         r"PFN_cu\w*|cu(Init|Ctx|Module|Link|Func|Launch|Mem|Stream|Event|Device|Driver|Get|Occupancy|Pointer|Profiler|Library|Kernel|Param|Array|Green|Core)\w*",
         "the driver interface"),
    )
)  # fmt: skip

_MISSING_HEADER = re.compile(r"^(?P<file>\S+): No such file or directory$")
_MISSING_NAME = re.compile(
    r"'(?:[\w:]+::)?(?P<name>\w+)(?:<[^']*>)?(?:\([^']*\)[^']*)?' (?:was not declared|does not name a (?:type|template)|has not been declared|"
    r"is not a member of|not declared|is not a (?:class )?template|undeclared)|"
    r"'(?P<within>\w+)' in namespace '[\w:]+' does not name|"
    r"'(?:const )?(?:struct|enum|class) (?P<incomplete>\w+)' (?:has incomplete type|and it is incomplete)|incomplete type '(?:struct |enum )?(?P<also>\w+)'|"
    r"unknown type name '(?P<unknown>\w+)'|there are no arguments to '(?P<dependent>\w+)' that depend on a template parameter"
)


# Warp operations without a mask, which nvcc refuses from sm_70 on.
_MASKLESS = re.compile(r"__(?:shfl|shfl_up|shfl_down|shfl_xor|any|all|ballot)")


def explain(feature: str) -> str:
    """What a finding says of a feature that is not executed here."""
    instruction = feature.removeprefix("inline PTX: ")
    what = f"this inline PTX ({instruction})" if instruction != feature else feature
    return f"the CPU target does not support {what}; {_GPU}"


def feature_of(name: str) -> str | None:
    """What a name that nothing declares belongs to; None where that is not known."""
    return next((feature for pattern, feature in _NAMES if pattern.fullmatch(name)), None)


def feature_of_message(message: str) -> str | None:
    """What a message of the compiler is about, where that is a part of CUDA that is not executed here."""
    header = _MISSING_HEADER.match(message)
    if header is not None:
        return next((f for start, f in _HEADERS.items() if header["file"].startswith(start)), None)
    return next((feature for name in missing_names(message) if (feature := feature_of(name))), None)


def missing_names(message: str) -> Iterator[str]:
    """The names that a message of the compiler misses, without what qualifies them."""
    for match in _MISSING_NAME.finditer(message):
        yield next(name for name in match.groups() if name)


def maskless_of_message(message: str) -> str | None:
    """The warp operation without a mask that a message of the compiler misses; None for any other."""
    for match in _MISSING_NAME.finditer(message):
        name = match["name"] or match["dependent"] or ""
        if _MASKLESS.fullmatch(name):
            return str(name)
    return None


def explain_maskless(name: str) -> str:
    """What a finding says of `__shfl` and its like."""
    return (
        f"{name} was removed with sm_70; use {name}_sync, whose first argument names the lanes that take part"
    )


def find_unsupported(root: Node, lines: Lines) -> list[Unsupported]:
    """What compiles and cannot be executed all the same: kernels that launch kernels, where that is not conditional."""
    found = []
    for node in walk(root):
        if node.type == "kernel_call_syntax" and on_device(node) and not in_conditional(node):
            whole = node.parent or node
            feature = "dynamic parallelism (a kernel that launches a kernel)"
            found.append(Unsupported(lines.range(whole.start_byte, whole.end_byte), feature))
    return found
