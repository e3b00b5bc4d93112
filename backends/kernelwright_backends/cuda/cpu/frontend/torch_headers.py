"""Names of PyTorch's CUDA interface that <torch/extension.h> does not bring, and the header that does."""

import re
from collections.abc import Iterable

_HEADERS = tuple(
    (re.compile(pattern), header)
    for pattern, header in (
        (r"C10_CUDA_\w+", "c10/cuda/CUDAException.h"),
        (r"AT_CUDA_\w+", "ATen/cuda/Exceptions.h"),
        (r"(Optional)?CUDA(Stream|MultiStream)?Guard", "c10/cuda/CUDAGuard.h"),
        (r"(get(Current|Default)CUDAStream|getStreamFromPool|getStreamFromExternal|setCurrentCUDAStream|CUDAStream)", "c10/cuda/CUDAStream.h"),
        (r"(getCurrentDeviceProperties|getDeviceProperties|warp_size|getCurrentCUDABlasHandle)", "ATen/cuda/CUDAContext.h"),
        (r"CUDACachingAllocator", "c10/cuda/CUDACachingAllocator.h"),
        (r"CUDAEvent", "ATen/cuda/CUDAEvent.h"),
        (r"gpuAtomic\w+", "ATen/cuda/Atomic.cuh"),
    )
)  # fmt: skip


def missing_header(names: Iterable[str], texts: Iterable[bytes]) -> str | None:
    """The header of PyTorch that declares one of `names` and that none of `texts` includes; None where that is not known."""
    headers = (header for name in names for pattern, header in _HEADERS if pattern.fullmatch(name))
    header = next(headers, None)
    return None if header is None or any(header.encode() in text for text in texts) else header
