// kernelwright: task=../../tasks/scatter_add.py entry=scatter_add args="x, idx, out, x.shape[0], x.shape[1], out.shape[0]"
// a thread an element
#include <cuda_runtime.h>

__global__ void sc_element(const float* x, const int* idx, float* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[idx[i / d] * d + i % d], x[i]);
}
extern "C" void scatter_add(const float* x, const int* idx, float* out, int rows, int d, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float) * bins * d, stream);
    sc_element<<<(rows * d + 255) / 256, 256, 0, stream>>>(x, idx, out, rows * d, d);
}
