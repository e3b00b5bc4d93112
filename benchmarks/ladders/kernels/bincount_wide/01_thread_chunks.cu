// kernelwright: task=../../tasks/bincount_wide.py entry=bincount_wide args="idx, w, out, idx.numel(), out.numel()"
// sixteen consecutive values a thread
#include <cuda_runtime.h>

__global__ void bw_chunks(const int* idx, const float* w, float* out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    for (int k = 0; k < 16; ++k) if (i + k < n) atomicAdd(&out[idx[i + k]], w[i + k]);
}
extern "C" void bincount_wide(const int* idx, const float* w, float* out, int n, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)bins * 4, stream);
    bw_chunks<<<(n + 4095) / 4096, 256, 0, stream>>>(idx, w, out, n);
}
