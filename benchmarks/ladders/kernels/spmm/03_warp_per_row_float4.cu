// kernelwright: task=../../tasks/spmm.py entry=spmm args="start, col, val, x, out, x.shape[0]"
// a warp a row, four columns a lane, entries loaded by the lanes and passed round
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sm_warp(const int* __restrict__ start, const int* __restrict__ col, const float* __restrict__ val, const float4* __restrict__ x, float4* __restrict__ out, int rows) {
    int r = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    int last = start[r + 1];
    for (int base = start[r]; base < last; base += 32) {
        int mine = base + lane, c = mine < last ? col[mine] : 0, many = min(32, last - base);
        float v = mine < last ? val[mine] : 0.f;
#pragma unroll 4
        for (int k = 0; k < many; ++k) {
            float f = __shfl_sync(~0u, v, k);
            float4 y = x[(size_t)__shfl_sync(~0u, c, k) * 32 + lane];
            sum.x += f * y.x;
            sum.y += f * y.y;
            sum.z += f * y.z;
            sum.w += f * y.w;
        }
    }
    out[(size_t)r * 32 + lane] = sum;
}
extern "C" void spmm(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sm_warp<<<(rows + 7) / 8, 256, 0, stream>>>(start, col, val, (const float4*)x, (float4*)out, rows);
}
