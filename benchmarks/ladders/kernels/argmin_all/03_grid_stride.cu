// kernelwright: task=../../tasks/argmin_all.py entry=argmin_all args="x, out, x.shape[0]"
// 1056 blocks stride over the numbers, an atomic minimum of every block
#include <cuda_runtime.h>

__device__ unsigned long long am_best;

__device__ __forceinline__ unsigned long long pack(float v, unsigned i) {
    unsigned u = __float_as_uint(v);
    u = u == 0x80000000u ? 0x80000000u : (u & 0x80000000u) ? ~u : (u | 0x80000000u);
    return (unsigned long long)u << 32 | i;
}
__global__ void am_reset() { am_best = ~0ull; }
__global__ void am_stride(const float* __restrict__ x, int n) {
    __shared__ unsigned long long part[8];
    float v = INFINITY;
    unsigned at = 0x7fffffff;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float y = x[i];
        if (y < v) {
            v = y;
            at = i;
        }
    }
    unsigned long long p = pack(v, at);
    for (int o = 16; o; o >>= 1) p = min(p, __shfl_xor_sync(0xffffffffu, p, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = p;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) p = min(p, part[w]);
        atomicMin(&am_best, p);
    }
}
__global__ void am_out(int* out) { out[0] = (int)(am_best & 0xffffffffu); }
extern "C" void argmin_all(const float* x, int* out, int n, cudaStream_t stream) {
    am_reset<<<1, 1, 0, stream>>>();
    am_stride<<<1056, 256, 0, stream>>>(x, n);
    am_out<<<1, 1, 0, stream>>>(out);
}
