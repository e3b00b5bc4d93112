// A table of kernels, chosen by alignment.
// kernelwright: task=../tasks/add_pair.py entry=add args="a, b, out, a.numel()"
#include <cuda_runtime.h>

#include <cstdint>
template <class V> __global__ void k(const float* a, const float* b, float* y, int n) {
    constexpr int W = sizeof(V) / 4; int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = i * W; j < min(n, i * W + W); ++j) y[j] = a[j] + b[j];
}
using fn = void (*)(const float*, const float*, float*, int);
static const fn table[3] = {k<float>, k<float2>, k<float4>};
void add(const float* a, const float* b, float* y, int n) {
    uintptr_t all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)y; int w = all % 16 == 0 ? 2 : all % 8 == 0 ? 1 : 0;
    int t = (n + (1 << w) - 1) >> w;
    table[w]<<<(t + 255) / 256, 256>>>(a, b, y, n);
}
