// kernelwright: task=../../tasks/softmax_middle.py entry=softmax_mid args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// 32 columns a block of 32 x 8 threads, an online pass and a second one
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sm_online(const float* __restrict__ x, float* __restrict__ out, int c, int s) {
    __shared__ float ms[8][32], ss[8][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t base = (size_t)blockIdx.y * c * s + blockIdx.x * 32 + tx;
    float m = -1e30f, sum = 0.f;
#pragma unroll 4
    for (int i = ty; i < c; i += 8) {
        float v = x[base + (size_t)i * s], now = fmaxf(m, v);
        sum = sum * __expf(m - now) + __expf(v - now);
        m = now;
    }
    ms[ty][tx] = m;
    ss[ty][tx] = sum;
    __syncthreads();
    float all = -1e30f;
    for (int i = 0; i < 8; ++i) all = fmaxf(all, ms[i][tx]);
    sum = 0.f;
    for (int i = 0; i < 8; ++i) sum += ss[i][tx] * __expf(ms[i][tx] - all);
    float inv = 1.f / sum;
#pragma unroll 4
    for (int i = ty; i < c; i += 8) out[base + (size_t)i * s] = __expf(x[base + (size_t)i * s] - all) * inv;
}
extern "C" void softmax_mid(const float* x, float* out, int b, int c, int s, cudaStream_t stream) {
    sm_online<<<dim3(s / 32, b), dim3(32, 8), 0, stream>>>(x, out, c, s);
}
