// kernelwright: task=../../tasks/coo_spmv.py entry=coo_spmv args="row, col, val, x, out, row.numel(), x.numel()"
// a thread sixteen entries one after the other, an addition where the row ends
#include <cuda_runtime.h>

__global__ void cs_runs(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ x, float* out, int nnz) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16, last = min(first + 16, nnz);
    if (first >= nnz) return;
    int r = row[first];
    float s = 0.f;
    for (int i = first; i < last; ++i) {
        int q = row[i];
        if (q != r) {
            atomicAdd(out + r, s);
            s = 0.f;
            r = q;
        }
        s += val[i] * x[col[i]];
    }
    atomicAdd(out + r, s);
}
extern "C" void coo_spmv(const int* row, const int* col, const float* val, const float* x, float* out, int nnz, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
    cs_runs<<<(nnz + 2047) / 2048, 128, 0, stream>>>(row, col, val, x, out, nnz);
}
