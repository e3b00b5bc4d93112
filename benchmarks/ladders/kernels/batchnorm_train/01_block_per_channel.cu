// kernelwright: task=../../tasks/batchnorm_train.py entry=batchnorm_train args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2] * x.shape[3]"
// a block of 1024 a channel, three passes
#include <cuda_runtime.h>

__device__ float bn_sum(float v, float* s) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int o = 512; o > 0; o /= 2) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads();
    return sum;
}
__global__ void bn_block(const float* x, const float* w, const float* b, float* out, int n, int c, int area) {
    __shared__ float s[1024];
    int ch = blockIdx.x, m = n * area;
    float sum = 0.f;
    for (int i = threadIdx.x; i < m; i += 1024) sum += x[((size_t)(i / area) * c + ch) * area + i % area];
    float mean = bn_sum(sum, s) / m;
    sum = 0.f;
    for (int i = threadIdx.x; i < m; i += 1024) {
        float d = x[((size_t)(i / area) * c + ch) * area + i % area] - mean;
        sum += d * d;
    }
    float scale = rsqrtf(bn_sum(sum, s) / m + 1e-5f) * w[ch];
    for (int i = threadIdx.x; i < m; i += 1024) {
        size_t at = ((size_t)(i / area) * c + ch) * area + i % area;
        out[at] = (x[at] - mean) * scale + b[ch];
    }
}
extern "C" void batchnorm_train(const float* x, const float* w, const float* b, float* out, int n, int c, int area, cudaStream_t stream) {
    bn_block<<<c, 1024, 0, stream>>>(x, w, b, out, n, c, area);
}
