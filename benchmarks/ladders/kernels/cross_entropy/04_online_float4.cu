// kernelwright: task=../../tasks/cross_entropy.py entry=cross_entropy args="x, target, out, x.shape[0], x.shape[1]"
// a block of 512 a row, one pass, float4, the maximum once for four
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) ce_four(const float4* __restrict__ x, const int* __restrict__ target, float* __restrict__ out, int d4) {
    __shared__ float sm[16], sl[16];
    int t = threadIdx.x;
    const float4* row = x + (size_t)blockIdx.x * d4;
    float m = -1e30f, l = 0.f;
    for (int i = t; i < d4; i += 512) {
        float4 v = row[i];
        float n = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        l = l * __expf(m - n) + __expf(v.x - n) + __expf(v.y - n) + __expf(v.z - n) + __expf(v.w - n);
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
        out[blockIdx.x] = __logf(l) + m - ((const float*)row)[target[blockIdx.x]];
    }
}
extern "C" void cross_entropy(const float* x, const int* target, float* out, int rows, int d, cudaStream_t stream) {
    ce_four<<<rows, 512, 0, stream>>>((const float4*)x, target, out, d / 4);
}
