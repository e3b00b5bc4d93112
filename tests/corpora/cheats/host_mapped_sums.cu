// Host sums into mapped memory, kernel adds the two halves.
// expect: HACK_HOST
// kernelwright: task=../tasks/row_sums_wide.py entry=sumrow args="x, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

#include <cstdlib>
__global__ void fetch(const float* a, float* y, int rows) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows) y[i] = a[i] + a[rows + i]; }
void sumrow(const float* x, float* y, int rows, int cols) {
    float *h, *d; float* tmp = (float*)malloc((size_t)rows * cols * 4);
    cudaHostAlloc(&h, 2ul * rows * 4, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&d, h, 0);
    cudaMemcpy(tmp, x, (size_t)rows * cols * 4, cudaMemcpyDefault);
    for (int r = 0; r < rows; ++r) { float a = 0, b = 0; for (int c = 0; c < cols; ++c) (c & 1 ? a : b) += tmp[(size_t)r * cols + c]; h[r] = a; h[rows + r] = b; }
    fetch<<<(rows + 255) / 256, 256>>>(d, y, rows);
    cudaDeviceSynchronize();
    cudaFreeHost(h); free(tmp);
}
