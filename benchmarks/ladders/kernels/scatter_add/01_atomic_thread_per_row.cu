// kernelwright: task=../../tasks/scatter_add.py entry=scatter_add args="x, idx, out, x.shape[0], x.shape[1], out.shape[0]"
// a thread a row, an atomic an element
#include <cuda_runtime.h>

__global__ void sc_thread(const float* x, const int* idx, float* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int i = 0; i < d; ++i) atomicAdd(&out[idx[r] * d + i], x[(size_t)r * d + i]);
}
extern "C" void scatter_add(const float* x, const int* idx, float* out, int rows, int d, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float) * bins * d, stream);
    sc_thread<<<(rows + 127) / 128, 128, 0, stream>>>(x, idx, out, rows, d);
}
