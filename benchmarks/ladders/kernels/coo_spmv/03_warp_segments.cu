// kernelwright: task=../../tasks/coo_spmv.py entry=coo_spmv args="row, col, val, x, out, row.numel(), x.numel()"
// a lane an entry, rows summed inside the warp, an addition for each row of it
#include <cuda_runtime.h>

__global__ void cs_segments(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ x, float* out, int nnz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int r = -1;
    float s = 0.f;
    if (i < nnz) {
        r = row[i];
        s = val[i] * x[col[i]];
    }
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        float v = __shfl_up_sync(~0u, s, o);
        int q = __shfl_up_sync(~0u, r, o);
        if (lane >= o && q == r) s += v;
    }
    int next = __shfl_down_sync(~0u, r, 1);
    if (r >= 0 && (lane == 31 || next != r)) atomicAdd(out + r, s);
}
extern "C" void coo_spmv(const int* row, const int* col, const float* val, const float* x, float* out, int nnz, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
    cs_segments<<<(nnz + 255) / 256, 256, 0, stream>>>(row, col, val, x, out, nnz);
}
