// kernelwright: task=../../tasks/sddmm.py entry=sddmm args="x, y, start, row, col, out, x.shape[0], col.shape[0]"
// a warp an edge, a float4 a lane, five shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sd_warp(const float4* __restrict__ x, const float4* __restrict__ y, const int* __restrict__ row, const int* __restrict__ col, float* __restrict__ out, int edges) {
    int e = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (e >= edges) return;
    float4 a = x[row[e] * 32 + lane], b = y[col[e] * 32 + lane];
    float s = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
#pragma unroll
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) out[e] = s;
}
extern "C" void sddmm(const float* x, const float* y, const int* start, const int* row, const int* col, float* out, int nodes, int edges, cudaStream_t stream) {
    sd_warp<<<(edges + 7) / 8, 256, 0, stream>>>((const float4*)x, (const float4*)y, row, col, out, edges);
}
