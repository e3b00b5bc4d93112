// kernelwright: task=../../tasks/sddmm.py entry=sddmm args="x, y, start, row, col, out, x.shape[0], col.shape[0]"
// eight lanes an edge, four float4 of each row a lane, three shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sd_eight(const float4* __restrict__ x, const float4* __restrict__ y, const int* __restrict__ row, const int* __restrict__ col, float* __restrict__ out, int edges) {
    int e = (blockIdx.x * 256 + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (e >= edges) return;
    const float4 *p = x + row[e] * 32 + lane, *q = y + col[e] * 32 + lane;
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        float4 a = p[k], b = q[k];
        s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    s += __shfl_xor_sync(~0u, s, 4);
    s += __shfl_xor_sync(~0u, s, 2);
    s += __shfl_xor_sync(~0u, s, 1);
    if (lane == 0) out[e] = s;
}
extern "C" void sddmm(const float* x, const float* y, const int* start, const int* row, const int* col, float* out, int nodes, int edges, cudaStream_t stream) {
    sd_eight<<<(edges + 31) / 32, 256, 0, stream>>>((const float4*)x, (const float4*)y, row, col, out, edges);
}
