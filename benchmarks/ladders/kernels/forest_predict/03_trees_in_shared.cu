// kernelwright: task=../../tasks/forest_predict.py entry=forest args="x, feature, threshold, leaf, out, x.shape[0]"
// nodes of all trees as pairs and their leaves in shared memory too, 80 KiB a block of 256
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fo_trees(const float* __restrict__ x, const int* __restrict__ feature, const float* __restrict__ threshold, const float* __restrict__ leaf, float* __restrict__ out) {
    extern __shared__ __align__(16) float mem[];
    float* v = mem;
    float2* node = (float2*)(mem + 32 * 256);
    float* end = mem + 32 * 256 + 2 * 64 * 63;
    int i = threadIdx.x;
    for (int k = i; k < 64 * 63; k += 256) node[k] = make_float2(__int_as_float(feature[k]), threshold[k]);
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
    for (int t = 0; t < 64; ++t) {
        int at = 0;
#pragma unroll
        for (int d = 0; d < 6; ++d) {
            float2 p = node[t * 63 + at];
            at = 2 * at + 1 + (v[__float_as_int(p.x) * 256 + i] >= p.y);
        }
        s += end[t * 64 + at - 63];
    }
    out[blockIdx.x * 256 + i] = s;
}
extern "C" void forest(const float* x, const int* feature, const float* threshold, const float* leaf, float* out, int n, cudaStream_t stream) {
    const int bytes = (32 * 256 + 2 * 64 * 63 + 4096) * 4;
    cudaFuncSetAttribute(fo_trees, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    fo_trees<<<n / 256, 256, bytes, stream>>>(x, feature, threshold, leaf, out);
}
