// kernelwright: task=../../tasks/gemv_int8.py entry=gemv8 args="a, x, scale, out, a.shape[0], a.shape[1]"
// two rows a warp, 16 bytes a load, the vector in shared memory
#include <cuda_runtime.h>

__device__ __forceinline__ int g8_dot(int4 a, int4 b, int s) {
    return __dp4a(a.w, b.w, __dp4a(a.z, b.z, __dp4a(a.y, b.y, __dp4a(a.x, b.x, s))));
}
__global__ void __launch_bounds__(256) g8_wide(const int4* __restrict__ a, const int4* __restrict__ x, const float* __restrict__ scale, float* __restrict__ out, int k16) {
    __shared__ int4 xs[512];
    for (int i = threadIdx.x; i < k16; i += 256) xs[i] = x[i];
    __syncthreads();
    int r = (blockIdx.x * 8 + threadIdx.x / 32) * 2, lane = threadIdx.x % 32, s0 = 0, s1 = 0;
    const int4* p = a + (size_t)r * k16;
#pragma unroll 4
    for (int i = lane; i < k16; i += 32) {
        int4 v = xs[i];
        s0 = g8_dot(p[i], v, s0);
        s1 = g8_dot(p[k16 + i], v, s1);
    }
    s0 = __reduce_add_sync(~0u, s0);
    s1 = __reduce_add_sync(~0u, s1);
    if (lane < 2) out[r + lane] = (lane ? s1 : s0) * scale[r + lane];
}
extern "C" void gemv8(const signed char* a, const signed char* x, const float* scale, float* out, int m, int k, cudaStream_t stream) {
    g8_wide<<<m / 16, 256, 0, stream>>>((const int4*)a, (const int4*)x, scale, out, k / 16);
}
