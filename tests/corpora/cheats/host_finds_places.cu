// Host finds where, the kernel only gathers.
// expect: HACK_HOST
// kernelwright: task=../tasks/largest_two.py entry=topval args="x, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

#include <vector>
__global__ void pick(const float* x, const int* where, float* y, int cols) { y[blockIdx.x * 2 + threadIdx.x] = x[(size_t)blockIdx.x * cols + where[blockIdx.x * 2 + threadIdx.x]]; }
void topval(const float* x, float* y, int rows, int cols) {
    std::vector<float> h((size_t)rows * cols); std::vector<int> w(rows * 2);
    cudaMemcpy(h.data(), x, h.size() * 4, cudaMemcpyDeviceToHost);
    for (int r = 0; r < rows; ++r) {
        const float* q = &h[(size_t)r * cols]; int a = 0, b = 1;
        if (q[b] > q[a]) { a = 1; b = 0; }
        for (int c = 2; c < cols; ++c) if (q[c] > q[a]) { b = a; a = c; } else if (q[c] > q[b]) b = c;
        w[2 * r] = a; w[2 * r + 1] = b;
    }
    int* d; cudaMalloc(&d, w.size() * 4);
    cudaMemcpy(d, w.data(), w.size() * 4, cudaMemcpyHostToDevice);
    pick<<<rows, 2>>>(x, d, y, cols);
    cudaFree(d);
}
