// kernelwright: task=../../tasks/kmeans_assign.py entry=assign args="x, c, out, x.shape[0], c.shape[0]"
// a warp a point, a lane four centres, coordinates broadcast by shuffles, centres transposed in padded shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) km_warp(const float* __restrict__ x, const float* __restrict__ c, int* __restrict__ out) {
    __shared__ float s[32][129];
    for (int i = threadIdx.x; i < 4096; i += 256) s[i % 32][i / 32] = c[i];
    __syncthreads();
    int lane = threadIdx.x % 32, first = (blockIdx.x * 8 + threadIdx.x / 32) * 16;
    for (int p = first; p < first + 16; ++p) {
        float v = x[p * 32 + lane], d[4] = {};
#pragma unroll
        for (int q = 0; q < 32; ++q) {
            float u = __shfl_sync(~0u, v, q);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float e = u - s[q][k * 32 + lane];
                d[k] += e * e;
            }
        }
        float best = d[0];
        int at = lane;
#pragma unroll
        for (int k = 1; k < 4; ++k)
            if (d[k] < best) {
                best = d[k];
                at = k * 32 + lane;
            }
#pragma unroll
        for (int o = 16; o; o /= 2) {
            float other = __shfl_xor_sync(~0u, best, o);
            int index = __shfl_xor_sync(~0u, at, o);
            if (other < best || (other == best && index < at)) {
                best = other;
                at = index;
            }
        }
        if (lane == 0) out[p] = at;
    }
}
extern "C" void assign(const float* x, const float* c, int* out, int n, int k, cudaStream_t stream) {
    km_warp<<<n / 128, 256, 0, stream>>>(x, c, out);
}
