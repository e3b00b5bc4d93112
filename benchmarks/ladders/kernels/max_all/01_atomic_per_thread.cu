// kernelwright: task=../../tasks/max_all.py entry=max_all args="x, out, x.shape[0]"
// an atomic maximum a thread
#include <cuda_runtime.h>

__global__ void ma_thread(const float* x, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(out, __float_as_int(x[i]));
}
extern "C" void max_all(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4, stream);
    ma_thread<<<(n + 255) / 256, 256, 0, stream>>>(x, (int*)out, n);
}
