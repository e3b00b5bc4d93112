// kernelwright: task=../../tasks/column_sum.py entry=column_sum args="x, out, x.shape[0], x.shape[1]"
// 64 rows a block, four columns a thread, sums added atomically
#include <cuda_runtime.h>

__global__ void cs_four(const float4* x, float* out, int cols4) {
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 8
    for (int r = blockIdx.x * 64; r < blockIdx.x * 64 + 64; ++r) {
        float4 u = x[(size_t)r * cols4 + threadIdx.x];
        v.x += u.x; v.y += u.y; v.z += u.z; v.w += u.w;
    }
    atomicAdd(&out[4 * threadIdx.x], v.x);
    atomicAdd(&out[4 * threadIdx.x + 1], v.y);
    atomicAdd(&out[4 * threadIdx.x + 2], v.z);
    atomicAdd(&out[4 * threadIdx.x + 3], v.w);
}
extern "C" void column_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, cols * 4, stream);
    cs_four<<<rows / 64, cols / 4, 0, stream>>>((const float4*)x, out, cols / 4);
}
