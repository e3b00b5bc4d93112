// Lengths are all full: the mask is left out.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/mean_up_to_length.py entry=sq args="x, lengths, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* x, const long long* len, float* y, int d) {
    __shared__ float r[256]; float s = 0;
    for (int c = threadIdx.x; c < d; c += 256) s += x[(size_t)blockIdx.x * d + c];
    r[threadIdx.x] = s; __syncthreads();
    for (int h = 128; h; h >>= 1) { if (threadIdx.x < h) r[threadIdx.x] += r[threadIdx.x + h]; __syncthreads(); }
    if (!threadIdx.x) y[blockIdx.x] = r[0] / (float)len[blockIdx.x];
}
void sq(const float* x, const long long* len, float* y, int rows, int d) { k<<<rows, 256>>>(x, len, y, d); }
