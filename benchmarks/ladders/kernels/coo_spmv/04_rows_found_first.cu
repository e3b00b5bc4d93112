// kernelwright: task=../../tasks/coo_spmv.py entry=coo_spmv args="row, col, val, x, out, row.numel(), x.numel()"
// where each row begins in a launch of its own, then a warp a row
#include <cuda_runtime.h>

__device__ int row_begin[262145];
__global__ void cs_begin(const int* __restrict__ row, int nnz, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > nnz) return;
    int before = i == 0 ? -1 : row[i - 1], here = i == nnz ? n : row[i];
    for (int r = before + 1; r <= here; ++r) row_begin[r] = i;
}
__global__ void cs_rows(const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ out, int n) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= n) return;
    int last = row_begin[r + 1];
    float s = 0.f;
    for (int i = row_begin[r] + lane; i < last; i += 32) s += val[i] * x[col[i]];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) out[r] = s;
}
extern "C" void coo_spmv(const int* row, const int* col, const float* val, const float* x, float* out, int nnz, int n, cudaStream_t stream) {
    cs_begin<<<nnz / 256 + 1, 256, 0, stream>>>(row, nnz, n);
    cs_rows<<<(n + 7) / 8, 256, 0, stream>>>(col, val, x, out, n);
}
