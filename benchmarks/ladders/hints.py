#!/usr/bin/env python3
"""What hints about the use of a cache cost or save in kernels that stream, on the GPU of this machine.

    python hints.py OUT.json        needs a GPU and nvcc; a minute

Kernels of one float4 a thread that read some tensors and write others, of several sizes, with each hint on the loads or the stores:
the median of samples before each of which 256 MiB were written (so that the L2 holds nothing of theirs), the kinds in turns.
"""

import on_device

_LOADS = {"plain": "*p", "__ldcs": "__ldcs(p)", "__ldcg": "__ldcg(p)", "__ldlu": "__ldlu(p)"}
_STORES = {"plain": "*p = v", "__stcs": "__stcs(p, v)", "__stcg": "__stcg(p, v)", "__stwt": "__stwt(p, v)"}
_TENSORS = ((1, 1), (2, 1), (3, 2), (1, 0), (0, 1))  # read, written
_MEGABYTES = (4, 16, 64, 256)  # of each tensor

_BODY = r"""
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
struct Tensors { float4* at[5]; };
template <int load> __device__ float4 loaded(const float4* p) {
@LOADS@
}
template <int store> __device__ void stored(float4* p, float4 v) {
@STORES@
}
template <int read, int written, int load, int store> __global__ void streams(Tensors t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = make_float4(1.f, 2.f, 3.f, float(i));
#pragma unroll
    for (int k = 0; k < read; ++k) {
        float4 u = loaded<load>(t.at[k] + i);
        v.x += u.x, v.y += u.y, v.z += u.z, v.w += u.w;
    }
#pragma unroll
    for (int k = 0; k < written; ++k) stored<store>(t.at[4 - k] + i, v);
    if (!written && v.x == 1e30f) *t.at[4] = v;
}
__global__ void flush(float4* p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = make_float4(0.f, 0.f, 0.f, 0.f);
}
typedef void (*Kernel)(Tensors, int);
struct Kind { const char *load, *store; Kernel kernel; };
void row(int read, int written, int megabytes, std::vector<Kind> kinds) {
    static Tensors t{};
    static float4* scratch = nullptr;
    const size_t most = size_t(256) << 20;
    if (!scratch) {
        cudaMalloc(&scratch, most);
        for (auto& at : t.at) cudaMalloc(&at, most), cudaMemset(at, 0, most);
    }
    const int n = (size_t(megabytes) << 20) / 16;
    cudaEvent_t a, b;
    cudaEventCreate(&a), cudaEventCreate(&b);
    std::vector<std::vector<float>> took(kinds.size());
    for (int sample = 0; sample < 41; ++sample)
        for (size_t k = 0; k < kinds.size(); ++k) {
            flush<<<1056, 256>>>(scratch, most / 16);
            cudaEventRecord(a);
            kinds[k].kernel<<<(n + 255) / 256, 256>>>(t, n);
            cudaEventRecord(b);
            cudaEventSynchronize(b);
            float ms = 0;
            cudaEventElapsedTime(&ms, a, b);
            if (sample > 5) took[k].push_back(ms);
        }
    for (size_t k = 0; k < kinds.size(); ++k) {
        std::nth_element(took[k].begin(), took[k].begin() + took[k].size() / 2, took[k].end());
        printf("%d %d %d %s %s %.3f\n", read, written, megabytes, kinds[k].load, kinds[k].store, took[k][took[k].size() / 2] * 1e3);
    }
    if (cudaGetLastError() != cudaSuccess) printf("failed\n");
}
int main() {
"""


def _chosen(parameter: str, forms: dict[str, str], result: str) -> str:
    return "\n".join(f"    if ({parameter} == {n}) {result}{form};" for n, form in enumerate(forms.values()))


def program() -> str:
    text = _BODY.replace("@LOADS@", _chosen("load", _LOADS, "return ") + "\n    return *p;")
    text = text.replace("@STORES@", _chosen("store", _STORES, ""))
    for read, written in _TENSORS:
        pairs = [(load, 0) for load in range(len(_LOADS) if read else 1)]
        pairs += [(0, store) for store in range(1, len(_STORES) if written else 1)]
        if read and written:
            pairs.append((1, 1))
        kinds = ", ".join(
            f'{{"{list(_LOADS)[load]}", "{list(_STORES)[store]}", streams<{read}, {written}, {load}, {store}>}}'
            for load, store in pairs
        )
        text += "".join(f"    row({read}, {written}, {size}, {{{kinds}}});\n" for size in _MEGABYTES)
    return text + "}\n"


def main() -> None:
    options = on_device.arguments(__doc__)
    rows = [line.split() for line in on_device.output_of(program(), options.arch)]
    kernels = [
        {
            "tensors_read": int(read),
            "tensors_written": int(written),
            "mib_of_each": int(size),
            "load": load,
            "store": store,
            "median_us": float(median),
        }
        for read, written, size, load, store, median in rows
    ]
    on_device.write(options.out, options.arch, kernels=kernels)


if __name__ == "__main__":
    main()
