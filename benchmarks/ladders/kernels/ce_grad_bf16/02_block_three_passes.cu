// kernelwright: task=../../tasks/ce_grad_bf16.py entry=ce_grad args="x, target, out, x.shape[0], x.shape[1]"
// a block of 1024 a row: maximum, sum, gradient, a pass each
#include <cuda_bf16.h>

__device__ __forceinline__ float cg_all(float v, bool add, float* s) {
    for (int o = 16; o; o /= 2) {
        float u = __shfl_xor_sync(~0u, v, o);
        v = add ? v + u : fmaxf(v, u);
    }
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = s[threadIdx.x % 32];
    for (int o = 16; o; o /= 2) {
        float u = __shfl_xor_sync(~0u, v, o);
        v = add ? v + u : fmaxf(v, u);
    }
    __syncthreads();
    return v;
}
__global__ void __launch_bounds__(1024) cg_block(const __nv_bfloat16* __restrict__ x, const int* __restrict__ target, __nv_bfloat16* __restrict__ out, int v) {
    __shared__ float s[32];
    const __nv_bfloat16* row = x + (size_t)blockIdx.x * v;
    float top = -INFINITY, sum = 0.f;
    for (int i = threadIdx.x; i < v; i += 1024) top = fmaxf(top, __bfloat162float(row[i]));
    top = cg_all(top, false, s);
    for (int i = threadIdx.x; i < v; i += 1024) sum += __expf(__bfloat162float(row[i]) - top);
    sum = 1.f / cg_all(sum, true, s);
    int hit = target[blockIdx.x];
    for (int i = threadIdx.x; i < v; i += 1024) out[(size_t)blockIdx.x * v + i] = __float2bfloat16(__expf(__bfloat162float(row[i]) - top) * sum - (i == hit ? 1.f : 0.f));
}
extern "C" void ce_grad(const __nv_bfloat16* x, const int* target, __nv_bfloat16* out, int rows, int v, cudaStream_t stream) {
    cg_block<<<rows, 1024, 0, stream>>>(x, target, out, v);
}
