// kernelwright: task=../../tasks/batchnorm_train.py entry=batchnorm_train args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2] * x.shape[3]"
// a block a plane, sums added up by atomics; a second launch normalises, a thread an element
#include <cuda_runtime.h>

__global__ void bn_sums(const float* x, float* sums, int c, int area) {
    __shared__ float s[2][8];
    int plane = blockIdx.x, t = threadIdx.x;
    float a = 0.f, q = 0.f;
    for (int i = t; i < area; i += 256) {
        float v = x[(size_t)plane * area + i];
        a += v;
        q += v * v;
    }
    for (int o = 16; o > 0; o /= 2) {
        a += __shfl_down_sync(~0u, a, o);
        q += __shfl_down_sync(~0u, q, o);
    }
    if (t % 32 == 0) { s[0][t / 32] = a; s[1][t / 32] = q; }
    __syncthreads();
    if (t < 2) {
        float sum = 0.f;
        for (int i = 0; i < 8; ++i) sum += s[t][i];
        atomicAdd(&sums[plane % c * 2 + t], sum);
    }
}
__global__ void bn_apply(const float* x, const float* sums, const float* w, const float* b, float* out, int total, int n, int c, int area) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int ch = i / area % c;
    float m = n * area, mean = sums[ch * 2] / m, var = sums[ch * 2 + 1] / m - mean * mean;
    out[i] = (x[i] - mean) * rsqrtf(var + 1e-5f) * w[ch] + b[ch];
}
extern "C" void batchnorm_train(const float* x, const float* w, const float* b, float* out, int n, int c, int area, cudaStream_t stream) {
    static float* sums = nullptr;
    if (!sums) cudaMalloc(&sums, sizeof(float) * 2 * 4096);
    cudaMemsetAsync(sums, 0, sizeof(float) * 2 * c, stream);
    bn_sums<<<n * c, 256, 0, stream>>>(x, sums, c, area);
    bn_apply<<<(n * c * area + 255) / 256, 256, 0, stream>>>(x, sums, w, b, out, n * c * area, n, c, area);
}
