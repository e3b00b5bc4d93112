// kernelwright: task=../../tasks/rmsnorm_bf16.py entry=rmsnorm_bf16 args="x, weight, out, x.shape[0], x.shape[1]"
// a block of 512 a row, pairs, sums by shuffles
#include <cuda_bf16.h>

__global__ void rn_pairs(const __nv_bfloat162* x, const __nv_bfloat162* w, __nv_bfloat162* out, int d2) {
    __shared__ float s[16];
    const __nv_bfloat162* row = x + (size_t)blockIdx.x * d2;
    float q = 0.f;
    for (int i = threadIdx.x; i < d2; i += 512) { float2 v = __bfloat1622float2(row[i]); q += v.x * v.x + v.y * v.y; }
    for (int o = 16; o; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = q;
    __syncthreads();
    q = s[threadIdx.x % 16];
    for (int o = 8; o; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    float r = rsqrtf(q / (2 * d2) + 1e-6f);
    for (int i = threadIdx.x; i < d2; i += 512) {
        float2 v = __bfloat1622float2(row[i]), u = __bfloat1622float2(w[i]);
        out[(size_t)blockIdx.x * d2 + i] = __floats2bfloat162_rn(v.x * r * u.x, v.y * r * u.y);
    }
}
extern "C" void rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, int rows, int d, cudaStream_t stream) {
    rn_pairs<<<rows, 512, 0, stream>>>((const __nv_bfloat162*)x, (const __nv_bfloat162*)weight, (__nv_bfloat162*)out, d / 2);
}
