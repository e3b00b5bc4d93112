// kernelwright: task=../../tasks/l2norm_rows.py entry=l2norm args="x, out, x.shape[0], x.shape[1]"
// a block a row, the sum by a tree in shared memory
#include <cuda_runtime.h>

__global__ void l2_tree(const float* x, float* out, int d) {
    __shared__ float s[256];
    const float* row = x + (size_t)blockIdx.x * d;
    float v = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) v += row[i] * row[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    float n = fmaxf(sqrtf(s[0]), 1e-12f);
    for (int i = threadIdx.x; i < d; i += 256) out[(size_t)blockIdx.x * d + i] = row[i] / n;
}
extern "C" void l2norm(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    l2_tree<<<rows, 256, 0, stream>>>(x, out, d);
}
