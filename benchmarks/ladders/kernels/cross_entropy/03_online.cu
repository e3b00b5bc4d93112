// kernelwright: task=../../tasks/cross_entropy.py entry=cross_entropy args="x, target, out, x.shape[0], x.shape[1]"
// a block of 512 a row, one pass with a running maximum
#include <cuda_runtime.h>

__global__ void ce_online(const float* x, const int* target, float* out, int d) {
    __shared__ float sm[16], sl[16];
    int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * d;
    float m = -1e30f, l = 0.f;
    for (int i = t; i < d; i += 512) {
        float v = row[i], n = fmaxf(m, v);
        l = l * __expf(m - n) + __expf(v - n);
        m = n;
    }
    for (int o = 16; o; o /= 2) {
        float m2 = __shfl_xor_sync(~0u, m, o), l2 = __shfl_xor_sync(~0u, l, o), n = fmaxf(m, m2);
        l = l * __expf(m - n) + l2 * __expf(m2 - n);
        m = n;
    }
    if (t % 32 == 0) { sm[t / 32] = m; sl[t / 32] = l; }
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 16; ++i) {
            float n = fmaxf(m, sm[i]);
            l = l * __expf(m - n) + sl[i] * __expf(sm[i] - n);
            m = n;
        }
        out[blockIdx.x] = __logf(l) + m - row[target[blockIdx.x]];
    }
}
extern "C" void cross_entropy(const float* x, const int* target, float* out, int rows, int d, cudaStream_t stream) {
    ce_online<<<rows, 512, 0, stream>>>(x, target, out, d);
}
