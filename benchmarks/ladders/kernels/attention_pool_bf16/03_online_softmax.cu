// kernelwright: task=../../tasks/attention_pool_bf16.py entry=attention_pool args="x, q, out, x.shape[0], x.shape[1]"
// rows read once: every warp keeps a running maximum, a sum and eight columns a lane, merged at the end
#include <cuda_bf16.h>

__global__ void __launch_bounds__(256) ap_online(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ q, float* __restrict__ out, int t) {
    __shared__ float top[8], total[8], all[8][256];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    const uint4* base = (const uint4*)(x + (size_t)blockIdx.x * t * 256) + lane;
    float mine[8], acc[8] = {}, m = -1e30f, sum = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) mine[k] = __bfloat162float(q[lane * 8 + k]) / 16.f;
#pragma unroll 4
    for (int i = w; i < t; i += 8) {
        uint4 v = base[i * 32];
        const __nv_bfloat162* h = (const __nv_bfloat162*)&v;
        float f[8], a = 0.f;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 u = __bfloat1622float2(h[k]);
            f[2 * k] = u.x;
            f[2 * k + 1] = u.y;
            a += mine[2 * k] * u.x + mine[2 * k + 1] * u.y;
        }
#pragma unroll
        for (int o = 16; o; o /= 2) a += __shfl_xor_sync(~0u, a, o);
        float next = fmaxf(m, a), old = __expf(m - next), now = __expf(a - next);
        m = next;
        sum = sum * old + now;
#pragma unroll
        for (int k = 0; k < 8; ++k) acc[k] = acc[k] * old + now * f[k];
    }
    if (lane == 0) {
        top[w] = m;
        total[w] = sum;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) all[w][lane * 8 + k] = acc[k];
    __syncthreads();
    m = top[0];
#pragma unroll
    for (int k = 1; k < 8; ++k) m = fmaxf(m, top[k]);
    float s = 0.f, v = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float e = __expf(top[k] - m);
        s += e * total[k];
        v += e * all[k][threadIdx.x];
    }
    out[blockIdx.x * 256 + threadIdx.x] = v / s;
}
extern "C" void attention_pool(const __nv_bfloat16* x, const __nv_bfloat16* q, float* out, int b, int t, cudaStream_t stream) {
    ap_online<<<b, 256, 0, stream>>>(x, q, out, t);
}
