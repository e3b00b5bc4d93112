// kernelwright: task=../../tasks/column_sum.py entry=column_sum args="x, out, x.shape[0], x.shape[1]"
// a block a column: loads a row apart
#include <cuda_runtime.h>

__global__ void cs_block(const float* x, float* out, int rows, int cols) {
    __shared__ float s[256];
    float v = 0.f;
    for (int r = threadIdx.x; r < rows; r += 256) v += x[(size_t)r * cols + blockIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
extern "C" void column_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    cs_block<<<cols, 256, 0, stream>>>(x, out, rows, cols);
}
