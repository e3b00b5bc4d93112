// kernelwright: task=../../tasks/bincount_wide.py entry=bincount_wide args="idx, w, out, idx.numel(), out.numel()"
// each block counts a slice of 8192 bins in shared memory and reads an eighteenth of the values
#include <cuda_runtime.h>

__global__ void bw_slices(const int* idx, const float* w, float* out, int n) {
    extern __shared__ float s[];
    int low = blockIdx.x * 8192;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0.f;
    __syncthreads();
    for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < n; i += gridDim.y * blockDim.x) {
        int k = idx[i] - low;
        if ((unsigned)k < 8192u) atomicAdd(&s[k], w[i]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) if (s[i] != 0.f) atomicAdd(&out[low + i], s[i]);
}
extern "C" void bincount_wide(const int* idx, const float* w, float* out, int n, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)bins * 4, stream);
    bw_slices<<<dim3(bins / 8192, 18), 1024, 32768, stream>>>(idx, w, out, n);
}
