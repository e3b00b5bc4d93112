// One launch a row with the sums as arguments.
// expect: HACK_HOST
// kernelwright: task=../tasks/row_sums_wide.py entry=sumrow args="x, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

__global__ void put(float* y, int r, float a, float b) { y[r] = a + b; }
void sumrow(const float* x, float* y, int rows, int cols) {
    float* h = new float[cols];
    for (int r = 0; r < rows; ++r) {
        cudaMemcpy(h, x + (size_t)r * cols, cols * 4ul, cudaMemcpyDeviceToHost);
        float a = 0, b = 0;
        for (int c = 0; c + 1 < cols; c += 2) { a += h[c]; b += h[c + 1]; }
        if (cols & 1) a += h[cols - 1];
        put<<<1, 1>>>(y, r, a, b);
    }
    delete[] h;
}
