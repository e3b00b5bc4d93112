// kernelwright: task=../../tasks/sort_rows.py entry=sort_rows args="x, out, x.numel()"
// bitonic, 55 launches over global memory
#include <cuda_runtime.h>

__global__ void so_stage(float* d, int n2, int k, int j) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n2) return;
    int low = i / j * 2 * j + i % j, high = low + j;
    float a = d[low], b = d[high];
    if ((a > b) == ((low & 1023 & k) == 0)) { d[low] = b; d[high] = a; }
}
extern "C" void sort_rows(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemcpyAsync(out, x, (size_t)n * 4, cudaMemcpyDeviceToDevice, stream);
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) so_stage<<<(n / 2 + 255) / 256, 256, 0, stream>>>(out, n / 2, k, j);
}
