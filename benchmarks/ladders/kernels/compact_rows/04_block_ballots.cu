// kernelwright: task=../../tasks/compact_rows.py entry=compact_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, four rounds of ballots, the counts of warps added in shared memory
#include <cuda_runtime.h>

__global__ void cr_block(const float* x, float* out, int d) {
    __shared__ int c[32];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    float v[4];
    unsigned m[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) v[j] = x[(size_t)blockIdx.x * d + j * 256 + t];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        m[j] = __ballot_sync(~0u, v[j] > 0.f);
        if (lane == 0) c[j * 8 + w] = __popc(m[j]);
    }
    __syncthreads();
    if (w == 0) {
        int n = c[lane], s = n;
        for (int o = 1; o < 32; o *= 2) { int u = __shfl_up_sync(~0u, s, o); if (lane >= o) s += u; }
        c[lane] = s;
    }
    __syncthreads();
    int total = c[31];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        int before = j * 8 + w ? c[j * 8 + w - 1] : 0, i = j * 256 + t;
        if (v[j] > 0.f) out[(size_t)blockIdx.x * d + before + __popc(m[j] & ((1u << lane) - 1))] = v[j];
        if (i >= total) out[(size_t)blockIdx.x * d + i] = 0.f;
    }
}
extern "C" void compact_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    cr_block<<<rows, 256, 0, stream>>>(x, out, d);
}
