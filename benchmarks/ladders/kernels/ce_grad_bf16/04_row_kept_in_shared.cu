// kernelwright: task=../../tasks/ce_grad_bf16.py entry=ce_grad args="x, target, out, x.shape[0], x.shape[1]"
// the row of 64 kB stays in shared memory: global memory is read once
#include <cuda_bf16.h>

__global__ void __launch_bounds__(512) cg_kept(const uint4* __restrict__ x, const int* __restrict__ target, uint4* __restrict__ out, int v8) {
    extern __shared__ uint4 kept[];
    __shared__ float part[16];
    const uint4* row = x + (size_t)blockIdx.x * v8;
    int t = threadIdx.x;
    float top = -1e30f, sum = 0.f;
    for (int i = t; i < v8; i += 512) {
        uint4 u = row[i];
        kept[i] = u;
        const __nv_bfloat162* h = (const __nv_bfloat162*)&u;
        __nv_bfloat162 m = __hmax2(__hmax2(h[0], h[1]), __hmax2(h[2], h[3]));
        top = fmaxf(top, fmaxf(__low2float(m), __high2float(m)));
    }
    for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (t % 32 == 0) part[t / 32] = top;
    __syncthreads();
    for (int i = 0; i < 16; ++i) top = fmaxf(top, part[i]);
    __syncthreads();
    for (int i = t; i < v8; i += 512) {
        uint4 u = kept[i];
        const __nv_bfloat162* h = (const __nv_bfloat162*)&u;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float2 f = __bfloat1622float2(h[j]);
            sum += __expf(f.x - top) + __expf(f.y - top);
        }
    }
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    sum = 0.f;
    for (int i = 0; i < 16; ++i) sum += part[i];
    sum = 1.f / sum;
    int hit = target[blockIdx.x];
    for (int i = t; i < v8; i += 512) {
        uint4 u = kept[i];
        __nv_bfloat162* h = (__nv_bfloat162*)&u;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float2 f = __bfloat1622float2(h[j]);
            int c = i * 8 + j * 2;
            h[j] = __floats2bfloat162_rn(__expf(f.x - top) * sum - (c == hit), __expf(f.y - top) * sum - (c + 1 == hit));
        }
        out[(size_t)blockIdx.x * v8 + i] = u;
    }
}
extern "C" void ce_grad(const __nv_bfloat16* x, const int* target, __nv_bfloat16* out, int rows, int v, cudaStream_t stream) {
    cudaFuncSetAttribute(cg_kept, cudaFuncAttributeMaxDynamicSharedMemorySize, v * 2);
    cg_kept<<<rows, 512, v * 2, stream>>>((const uint4*)x, target, (uint4*)out, v / 8);
}
