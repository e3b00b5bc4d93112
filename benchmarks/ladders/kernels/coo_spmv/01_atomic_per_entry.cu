// kernelwright: task=../../tasks/coo_spmv.py entry=coo_spmv args="row, col, val, x, out, row.numel(), x.numel()"
// a thread an entry, an addition to memory each
#include <cuda_runtime.h>

__global__ void cs_atomic(const int* row, const int* col, const float* val, const float* x, float* out, int nnz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) atomicAdd(out + row[i], val[i] * x[col[i]]);
}
extern "C" void coo_spmv(const int* row, const int* col, const float* val, const float* x, float* out, int nnz, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
    cs_atomic<<<(nnz + 255) / 256, 256, 0, stream>>>(row, col, val, x, out, nnz);
}
