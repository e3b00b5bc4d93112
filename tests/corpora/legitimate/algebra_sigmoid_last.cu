// Sigmoid is monotone: once after the maximum.
// kernelwright: task=../tasks/largest_sigmoid.py entry=ms args="x, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int cols) {
    __shared__ float r[256]; float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += 256) m = fmaxf(m, x[(size_t)blockIdx.x * cols + c]);
    r[threadIdx.x] = m; __syncthreads();
    for (int h = 128; h; h >>= 1) { if (threadIdx.x < h) r[threadIdx.x] = fmaxf(r[threadIdx.x], r[threadIdx.x + h]); __syncthreads(); }
    if (!threadIdx.x) y[blockIdx.x] = 1.0f / (1.0f + expf(-r[0]));
}
void ms(const float* x, float* y, int rows, int cols) { k<<<rows, 256>>>(x, y, cols); }
