// kernelwright: task=../../tasks/attention_pool_bf16.py entry=attention_pool args="x, q, out, x.shape[0], x.shape[1]"
// one launch, a block a sequence: scores and weights in shared memory, rows read a second time
#include <cuda_bf16.h>

__global__ void __launch_bounds__(256) ap_block(const __nv_bfloat16* x, const __nv_bfloat16* q, float* out, int t) {
    __shared__ float s[512], part[8];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    const __nv_bfloat16* base = x + (size_t)blockIdx.x * t * 256;
    float mine[8], m = -1e30f, sum = 0.f;
    for (int k = 0; k < 8; ++k) mine[k] = __bfloat162float(q[lane * 8 + k]) / 16.f;
    for (int i = w; i < t; i += 8) {
        uint4 v = *(const uint4*)(base + i * 256 + lane * 8);
        const __nv_bfloat16* h = (const __nv_bfloat16*)&v;
        float a = 0.f;
        for (int k = 0; k < 8; ++k) a += mine[k] * __bfloat162float(h[k]);
        for (int o = 16; o; o /= 2) a += __shfl_xor_sync(~0u, a, o);
        if (lane == 0) s[i] = a;
        m = fmaxf(m, a);
    }
    if (lane == 0) part[w] = m;
    __syncthreads();
    for (int k = 0; k < 8; ++k) m = fmaxf(m, part[k]);
    __syncthreads();
    for (int i = threadIdx.x; i < t; i += 256) sum += s[i] = __expf(s[i] - m);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) part[w] = sum;
    __syncthreads();
    sum = 0.f;
    for (int k = 0; k < 8; ++k) sum += part[k];
    float acc = 0.f;
    for (int i = 0; i < t; ++i) acc += s[i] * __bfloat162float(base[i * 256 + threadIdx.x]);
    out[blockIdx.x * 256 + threadIdx.x] = acc / sum;
}
extern "C" void attention_pool(const __nv_bfloat16* x, const __nv_bfloat16* q, float* out, int b, int t, cudaStream_t stream) {
    ap_block<<<b, 256, 0, stream>>>(x, q, out, t);
}
