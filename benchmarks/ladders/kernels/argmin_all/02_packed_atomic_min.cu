// kernelwright: task=../../tasks/argmin_all.py entry=argmin_all args="x, out, x.shape[0]"
// value and place packed in 64 bits, an atomic minimum of every warp
#include <cuda_runtime.h>

__device__ unsigned long long am_best;

__device__ __forceinline__ unsigned long long pack(float v, unsigned i) {
    unsigned u = __float_as_uint(v);
    u = u == 0x80000000u ? 0x80000000u : (u & 0x80000000u) ? ~u : (u | 0x80000000u);
    return (unsigned long long)u << 32 | i;
}
__global__ void am_reset() { am_best = ~0ull; }
__global__ void am_warp(const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long p = i < n ? pack(x[i], i) : ~0ull;
    for (int o = 16; o; o >>= 1) p = min(p, __shfl_xor_sync(0xffffffffu, p, o));
    if (threadIdx.x % 32 == 0) atomicMin(&am_best, p);
}
__global__ void am_out(int* out) { out[0] = (int)(am_best & 0xffffffffu); }
extern "C" void argmin_all(const float* x, int* out, int n, cudaStream_t stream) {
    am_reset<<<1, 1, 0, stream>>>();
    am_warp<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
    am_out<<<1, 1, 0, stream>>>(out);
}
