// kernelwright: task=../../tasks/ce_grad_bf16.py entry=ce_grad args="x, target, out, x.shape[0], x.shape[1]"
// maximum and sum in one pass of sixteen-byte loads, then the gradient
#include <cuda_bf16.h>

__global__ void __launch_bounds__(512) cg_online(const uint4* __restrict__ x, const int* __restrict__ target, uint4* __restrict__ out, int v8) {
    __shared__ float tops[16], sums[16];
    const uint4* row = x + (size_t)blockIdx.x * v8;
    float top = -1e30f, sum = 0.f;
    for (int i = threadIdx.x; i < v8; i += 512) {
        uint4 u = row[i];
        const __nv_bfloat162* h = (const __nv_bfloat162*)&u;
        float2 f[4];
        float now = top;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            f[j] = __bfloat1622float2(h[j]);
            now = fmaxf(now, fmaxf(f[j].x, f[j].y));
        }
        sum *= __expf(top - now);
        top = now;
#pragma unroll
        for (int j = 0; j < 4; ++j) sum += __expf(f[j].x - top) + __expf(f[j].y - top);
    }
#pragma unroll
    for (int o = 16; o; o /= 2) {
        float t = __shfl_xor_sync(~0u, top, o), s = __shfl_xor_sync(~0u, sum, o), now = fmaxf(top, t);
        sum = sum * __expf(top - now) + s * __expf(t - now);
        top = now;
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    top = tops[0];
    for (int i = 1; i < 16; ++i) top = fmaxf(top, tops[i]);
    sum = 0.f;
    for (int i = 0; i < 16; ++i) sum += sums[i] * __expf(tops[i] - top);
    sum = 1.f / sum;
    int hit = target[blockIdx.x];
    for (int i = threadIdx.x; i < v8; i += 512) {
        uint4 u = row[i];
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
    cg_online<<<rows, 512, 0, stream>>>((const uint4*)x, target, (uint4*)out, v / 8);
}
