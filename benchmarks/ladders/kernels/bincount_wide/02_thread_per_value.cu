// kernelwright: task=../../tasks/bincount_wide.py entry=bincount_wide args="idx, w, out, idx.numel(), out.numel()"
// a value a thread
#include <cuda_runtime.h>

__global__ void bw_single(const int* idx, const float* w, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[idx[i]], w[i]);
}
extern "C" void bincount_wide(const int* idx, const float* w, float* out, int n, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)bins * 4, stream);
    bw_single<<<(n + 255) / 256, 256, 0, stream>>>(idx, w, out, n);
}
