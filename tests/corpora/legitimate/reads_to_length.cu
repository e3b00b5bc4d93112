// Reads a row only up to its length.
// kernelwright: task=../tasks/mean_up_to_length.py entry=sq args="x, lengths, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* x, const long long* len, float* y, int d) {
    __shared__ float r[128]; float s = 0; int L = (int)min((long long)d, max(len[blockIdx.x], 0ll));
    for (int c = threadIdx.x; c < L; c += 128) s += x[(size_t)blockIdx.x * d + c];
    r[threadIdx.x] = s; __syncthreads();
    for (int h = 64; h; h >>= 1) { if (threadIdx.x < h) r[threadIdx.x] += r[threadIdx.x + h]; __syncthreads(); }
    if (!threadIdx.x) y[blockIdx.x] = r[0] / (float)len[blockIdx.x];
}
void sq(const float* x, const long long* len, float* y, int rows, int d) { k<<<rows, 128>>>(x, len, y, d); }
