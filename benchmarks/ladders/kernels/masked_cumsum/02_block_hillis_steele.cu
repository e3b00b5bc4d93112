// kernelwright: task=../../tasks/masked_cumsum.py entry=masked_cumsum args="x, mask, out, x.shape[0], x.shape[1]"
// a block a row; tiles of 512, Hillis-Steele in shared memory with a carry
#include <cuda_runtime.h>

__global__ void mc(const float* x, const unsigned char* mask, float* out, int C) {
    __shared__ float buf[2][512];
    const int t = threadIdx.x;
    float carry = 0.f;
    for (int c0 = 0; c0 < C; c0 += 512) {
        size_t i = (size_t)blockIdx.x * C + c0 + t;
        bool in = c0 + t < C;
        int cur = 0;
        buf[0][t] = in && mask[i] ? x[i] : 0.f;
        __syncthreads();
        for (int o = 1; o < 512; o *= 2) {
            float v = buf[cur][t];
            if (t >= o) v += buf[cur][t - o];
            buf[cur ^ 1][t] = v;
            cur ^= 1;
            __syncthreads();
        }
        if (in) out[i] = carry + buf[cur][t];
        carry += buf[cur][511];
        __syncthreads();
    }
}
extern "C" void masked_cumsum(const float* x, const unsigned char* mask, float* out, int R, int C, cudaStream_t stream) {
    mc<<<R, 512, 0, stream>>>(x, mask, out, C);
}
