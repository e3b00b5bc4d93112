// kernelwright: task=../../tasks/clip_grad_norm.py entry=clip_norm args="g, out, g.shape[0]"
// the block that ends last adds the parts; four float4 loads ahead; the scaling walks backwards
#include <cuda_runtime.h>

__device__ float cl_part[264], cl_factor;
__device__ unsigned cl_done;

__device__ __forceinline__ float cl_block(float s) {
    __shared__ float w[16];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.f;
    for (int i = 0; i < 16; ++i) s += w[i];
    __syncthreads();
    return s;
}
__global__ void __launch_bounds__(512) cl_parts(const float4* __restrict__ g, int n4) {
    __shared__ bool last;
    float s = 0.f;
    int step = gridDim.x * 512;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n4; i += 4 * step) {
        float4 v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = i + k * step < n4 ? g[i + k * step] : make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int k = 0; k < 4; ++k) s += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    s = cl_block(s);
    if (threadIdx.x == 0) {
        cl_part[blockIdx.x] = s;
        __threadfence();
        last = atomicAdd(&cl_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    float all = cl_block(threadIdx.x < gridDim.x ? ((volatile float*)cl_part)[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) {
        cl_factor = fminf(1.f, 1.f / (sqrtf(all) + 1e-6f));
        cl_done = 0;
    }
}
__global__ void __launch_bounds__(512) cl_scale(const float4* __restrict__ g, float4* __restrict__ out, int n4) {
    int i = n4 - 1 - (int)(blockIdx.x * 512 + threadIdx.x);
    if (i < 0) return;
    float4 v = g[i];
    float f = cl_factor;
    __stcs(out + i, make_float4(v.x * f, v.y * f, v.z * f, v.w * f));
}
extern "C" void clip_norm(const float* g, float* out, int n, cudaStream_t stream) {
    cl_parts<<<264, 512, 0, stream>>>((const float4*)g, n / 4);
    cl_scale<<<(n / 4 + 511) / 512, 512, 0, stream>>>((const float4*)g, (float4*)out, n / 4);
}
