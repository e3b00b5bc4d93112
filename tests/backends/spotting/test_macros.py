"""Kernels that a macro defines are spotted where it is used, in both dialects, also while the text is edited."""

import pytest

from kernelwright_backends.core.registry import index_of, indexer_for

ASCENDC = """#include "kernel_operator.h"
#define BODY(T) AscendC::LocalTensor<T> tile;
#define DEFINE(TYPE) \\
    extern "C" __global__ __aicore__ void scale_##TYPE(GM_ADDR x, GM_ADDR out, \\
        uint32_t n) /* one (of two */ \\
    { \\
        BODY(TYPE) \\
    }
DEFINE(half)
DEFINE(float)
#define BOTH(a, b) DEFINE(a) DEFINE(b)
namespace ns {
BOTH(int32_t, int16_t);
}
extern "C" __global__ __aicore__ void plain(GM_ADDR x) { DEFINE(bool); }
// DEFINE(commented)
const char* text = "DEFINE(quoted)";
DEFINE(unclosed
"""
CUDA = """#define KERNEL(name, op, ...) \\
  __global__ void name##_kernel(const float* x, float* out, int n) { \\
    int i = blockIdx.x * blockDim.x + threadIdx.x; \\
    if (i < n) out[i] = op(x[i], ##__VA_ARGS__); \\
  } \\
  void name(const float* x, float* out, int n) { name##_kernel<<<(n + 255) / 256, 256>>>(x, out, n); }
KERNEL(clamp, fminf, 1.0f)
KERNEL(sqrt_all, sqrtf)
#define GLOBAL __global__
void call(float* x) { clamp_kernel<<<1, 32>>>(x, x, 32); }
"""


def test_ascendc_kernels_behind_macros() -> None:
    index = index_of("ascendc", ASCENDC)
    found = [(k.qualified_name, k.range.line, k.form) for k in index.kernels]
    assert found == [
        ("scale_half", 9, "ascendc"), ("scale_float", 10, "ascendc"), ("ns::scale_int32_t", 13, "ascendc"),
        ("ns::scale_int16_t", 13, "ascendc"), ("plain", 15, "ascendc"),
    ]  # fmt: skip
    first = index.kernels[0]
    assert [(p.type, p.name) for p in first.parameters] == [
        ("GM_ADDR", "x"),
        ("GM_ADDR", "out"),
        ("uint32_t", "n"),
    ]
    assert ASCENDC.encode()[first.start_byte : first.end_byte] == b"DEFINE(half)"
    assert all(parameter.range == first.range for parameter in first.parameters)


def test_cuda_launchers_behind_macros() -> None:
    index = index_of("cuda", CUDA)
    assert [(k.name, k.range.line) for k in index.kernels] == [("clamp_kernel", 7), ("sqrt_all_kernel", 8)]
    assert [(f.name, f.form) for f in index.entries] == [
        ("clamp", "launcher"),
        ("sqrt_all", "launcher"),
        ("call", "launcher"),
    ]
    assert {f.name for f in index.reached_from("sqrt_all")} == {"sqrt_all", "sqrt_all_kernel"}
    assert [x.kernel for x in index.launches] == ["clamp_kernel", "clamp_kernel", "sqrt_all_kernel"]


def test_launches_behind_macros_that_are_given_a_type() -> None:
    index = index_of(
        "cuda",
        """#include <torch/extension.h>
template <typename T> __global__ void copy_kernel(const T* x, T* y) { y[threadIdx.x] = x[threadIdx.x]; }
#define LAUNCH(T) copy_kernel<T><<<1, 32>>>(reinterpret_cast<T*>(x.data_ptr()), reinterpret_cast<T*>(y.data_ptr()))
void copy(torch::Tensor& x, torch::Tensor& y) {
  if (x.element_size() == 2) { LAUNCH(uint16_t); }
  else { LAUNCH(float); }
}
""",
    )
    assert [(f.name, f.form) for f in index.entries] == [("copy", "tensor")]
    assert {f.name for f in index.reached_from("copy")} == {"copy", "copy_kernel"}


@pytest.mark.parametrize("text, dialect", [(ASCENDC, "ascendc"), (CUDA, "cuda")])
def test_every_prefix_of_the_text_gives_what_reading_it_anew_gives(text: str, dialect: str) -> None:
    indexer = indexer_for(dialect)  # type: ignore[arg-type]
    whole = text.encode()
    indexer.replace(b"")
    for end in range(0, len(whole) + 1, 7):
        indexer.edit(0, 0, 0, whole[:end])
        assert indexer.index == index_of(dialect, whole[:end].decode()), end  # type: ignore[arg-type]


def test_a_text_may_define_the_dialects_own_words() -> None:
    index = index_of(
        "cuda",
        "#ifndef __CUDACC__\n#define __global__ __attribute__((global))\n#endif\n"
        "__global__ void scale(float* x) { *x *= 2; }\n"
        "int main() { scale<<<1, 1>>>(nullptr); }\n",
    )
    assert [kernel.name for kernel in index.kernels] == ["scale"]
