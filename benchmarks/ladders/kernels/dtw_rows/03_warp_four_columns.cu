// kernelwright: task=../../tasks/dtw_rows.py entry=dtw args="x, y, out, x.shape[0]"
// a warp a pair, four columns a lane in registers, the left neighbour's last column by a shuffle
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) dt_warp(const float4* __restrict__ x, const float4* __restrict__ y, float* __restrict__ out) {
    __shared__ float4 xs[4][32];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, p = blockIdx.x * 4 + w;
    xs[w][lane] = x[p * 32 + lane];
    float4 v = y[p * 32 + lane];
    __syncwarp();
    const float* row = (const float*)xs[w];
    float a = INFINITY, b = INFINITY, c = INFINITY, d = INFINITY, diagonal = lane ? INFINITY : 0.f;
    for (int s = 0; s < 159; ++s) {
        float left = __shfl_up_sync(~0u, d, 1);
        if (lane == 0) left = INFINITY;
        int i = s - lane;
        if (i >= 0 && i < 128) {
            float u = row[i], na, nb, nc;
            na = fabsf(u - v.x) + fminf(fminf(a, left), diagonal);
            nb = fabsf(u - v.y) + fminf(fminf(b, na), a);
            nc = fabsf(u - v.z) + fminf(fminf(c, nb), b);
            d = fabsf(u - v.w) + fminf(fminf(d, nc), c);
            a = na;
            b = nb;
            c = nc;
            diagonal = left;
        }
    }
    if (lane == 31) out[p] = d;
}
extern "C" void dtw(const float* x, const float* y, float* out, int pairs, cudaStream_t stream) {
    dt_warp<<<pairs / 4, 128, 0, stream>>>((const float4*)x, (const float4*)y, out);
}
