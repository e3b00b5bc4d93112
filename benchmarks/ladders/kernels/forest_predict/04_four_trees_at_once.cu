// kernelwright: task=../../tasks/forest_predict.py entry=forest args="x, feature, threshold, leaf, out, x.shape[0]"
// as before, four walks of a thread side by side
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fo_four(const float* __restrict__ x, const int* __restrict__ feature, const float* __restrict__ threshold, const float* __restrict__ leaf, float* __restrict__ out) {
    extern __shared__ __align__(16) float mem[];
    float* v = mem;
    float2* node = (float2*)(mem + 32 * 256);
    float* end = mem + 32 * 256 + 2 * 64 * 63;
    int i = threadIdx.x;
    for (int k = i; k < 64 * 63; k += 256) node[k] = make_float2(__int_as_float(feature[k] * 256), threshold[k]);
    for (int k = i; k < 4096; k += 256) end[k] = leaf[k];
    const float4* mine = (const float4*)(x + ((size_t)blockIdx.x * 256 + i) * 32);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float4 q = mine[k];
        v[4 * k * 256 + i] = q.x;
        v[(4 * k + 1) * 256 + i] = q.y;
        v[(4 * k + 2) * 256 + i] = q.z;
        v[(4 * k + 3) * 256 + i] = q.w;
    }
    __syncthreads();
    float s = 0.f;
    for (int t = 0; t < 64; t += 4) {
        int at[4] = {};
#pragma unroll
        for (int d = 0; d < 6; ++d)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float2 p = node[(t + k) * 63 + at[k]];
                at[k] = 2 * at[k] + 1 + (v[__float_as_int(p.x) + i] >= p.y);
            }
#pragma unroll
        for (int k = 0; k < 4; ++k) s += end[(t + k) * 64 + at[k] - 63];
    }
    out[blockIdx.x * 256 + i] = s;
}
extern "C" void forest(const float* x, const int* feature, const float* threshold, const float* leaf, float* out, int n, cudaStream_t stream) {
    const int bytes = (32 * 256 + 2 * 64 * 63 + 4096) * 4;
    cudaFuncSetAttribute(fo_four, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    fo_four<<<n / 256, 256, bytes, stream>>>(x, feature, threshold, leaf, out);
}
