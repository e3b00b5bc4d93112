// kernelwright: task=../../tasks/cummax_rows.py entry=cummax args="x, out, x.shape[0]"
// a block a row of 2048, two float4 a thread, one scan of threads
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cm_block(const float4* __restrict__ x, float4* __restrict__ out) {
    __shared__ float tops[8];
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    size_t at = (size_t)blockIdx.x * 512 + t * 2;
    float4 a = x[at], b = x[at + 1];
    a.y = fmaxf(a.x, a.y);
    a.z = fmaxf(a.y, a.z);
    a.w = fmaxf(a.z, a.w);
    b.x = fmaxf(a.w, b.x);
    b.y = fmaxf(b.x, b.y);
    b.z = fmaxf(b.y, b.z);
    b.w = fmaxf(b.z, b.w);
    float v = b.w;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        float u = __shfl_up_sync(~0u, v, o);
        if (lane >= o) v = fmaxf(v, u);
    }
    if (lane == 31) tops[w] = v;
    float before = __shfl_up_sync(~0u, v, 1);
    if (lane == 0) before = -INFINITY;
    __syncthreads();
    for (int i = 0; i < w; ++i) before = fmaxf(before, tops[i]);
    out[at] = make_float4(fmaxf(a.x, before), fmaxf(a.y, before), fmaxf(a.z, before), fmaxf(a.w, before));
    out[at + 1] = make_float4(fmaxf(b.x, before), fmaxf(b.y, before), fmaxf(b.z, before), fmaxf(b.w, before));
}
extern "C" void cummax(const float* x, float* out, int rows, cudaStream_t stream) {
    cm_block<<<rows, 256, 0, stream>>>((const float4*)x, (float4*)out);
}
