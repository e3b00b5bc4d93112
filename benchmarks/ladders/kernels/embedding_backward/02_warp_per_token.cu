// kernelwright: task=../../tasks/embedding_backward.py entry=embed_back args="g, token, out, g.shape[0]"
// a warp a token of 256 numbers, two float4 a lane loaded ahead of eight atomics
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) eb_warp(const float4* __restrict__ g, const int* __restrict__ token, float* __restrict__ out) {
    int w = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float4 a = g[(size_t)w * 64 + lane], b = g[(size_t)w * 64 + 32 + lane];
    float* p = out + (size_t)token[w] * 256 + lane * 4;
    atomicAdd(p, a.x);
    atomicAdd(p + 1, a.y);
    atomicAdd(p + 2, a.z);
    atomicAdd(p + 3, a.w);
    atomicAdd(p + 128, b.x);
    atomicAdd(p + 129, b.y);
    atomicAdd(p + 130, b.z);
    atomicAdd(p + 131, b.w);
}
extern "C" void embed_back(const float* g, const int* token, float* out, int t, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)8192 * 1024, stream);
    eb_warp<<<t / 8, 256, 0, stream>>>((const float4*)g, token, out);
}
