// kernelwright: task=../../tasks/lu_batch.py entry=lu args="a, out, a.shape[0]"
// a warp a matrix, a column in a lane's registers, factors by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) lu_registers(const float* __restrict__ a, float* __restrict__ out) {
    int lane = threadIdx.x % 32;
    size_t base = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * 1024 + lane;
    float m[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) m[i] = a[base + i * 32];
#pragma unroll
    for (int k = 0; k < 31; ++k) {
        float inv = 1.f / __shfl_sync(~0u, m[k], k), top = m[k];
#pragma unroll
        for (int i = k + 1; i < 32; ++i) {
            float f = __shfl_sync(~0u, m[i], k) * inv;
            if (lane > k) m[i] -= f * top;
            if (lane == k) m[i] = f;
        }
    }
#pragma unroll
    for (int i = 0; i < 32; ++i) out[base + i * 32] = m[i];
}
extern "C" void lu(const float* a, float* out, int batch, cudaStream_t stream) {
    lu_registers<<<batch / 4, 128, 0, stream>>>(a, out);
}
