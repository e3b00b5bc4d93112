// kernelwright: task=../../tasks/forest_predict.py entry=forest args="x, feature, threshold, leaf, out, x.shape[0]"
// features of 128 samples in shared memory without conflicts
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) fo_samples(const float* __restrict__ x, const int* __restrict__ feature, const float* __restrict__ threshold, const float* __restrict__ leaf, float* __restrict__ out) {
    __shared__ float v[32][128];
    int i = threadIdx.x;
    const float4* mine = (const float4*)(x + ((size_t)blockIdx.x * 128 + i) * 32);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float4 q = mine[k];
        v[4 * k][i] = q.x;
        v[4 * k + 1][i] = q.y;
        v[4 * k + 2][i] = q.z;
        v[4 * k + 3][i] = q.w;
    }
    float s = 0.f;
    for (int t = 0; t < 64; ++t) {
        int node = 0;
#pragma unroll
        for (int d = 0; d < 6; ++d) node = 2 * node + 1 + (v[feature[t * 63 + node]][i] >= threshold[t * 63 + node]);
        s += leaf[t * 64 + node - 63];
    }
    out[blockIdx.x * 128 + i] = s;
}
extern "C" void forest(const float* x, const int* feature, const float* threshold, const float* leaf, float* out, int n, cudaStream_t stream) {
    fo_samples<<<n / 128, 128, 0, stream>>>(x, feature, threshold, leaf, out);
}
