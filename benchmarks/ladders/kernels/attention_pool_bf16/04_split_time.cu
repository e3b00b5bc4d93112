// kernelwright: task=../../tasks/attention_pool_bf16.py entry=attention_pool args="x, q, out, x.shape[0], x.shape[1]"
// four blocks a sequence without a running maximum per row: groups of four rows a warp share one rescaling; merged by a second launch
#include <cuda_bf16.h>

__device__ float ap_acc[256 * 4 * 256], ap_top[256 * 4], ap_total[256 * 4];

__global__ void __launch_bounds__(128) ap_split(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ q, int t) {
    __shared__ float top[4], total[4], all[4][256];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, len = t / 4, part = blockIdx.x * 4 + blockIdx.y;
    const uint4* base = (const uint4*)(x + ((size_t)blockIdx.x * t + blockIdx.y * len) * 256) + lane;
    float mine[8], acc[8] = {}, m = -1e30f, sum = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) mine[k] = __bfloat162float(q[lane * 8 + k]) * 0.0625f;
    for (int i = w * 4; i < len; i += 16) {
        uint4 v[4];
        float a[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) v[r] = base[(i + r) * 32];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const __nv_bfloat162* h = (const __nv_bfloat162*)&v[r];
            a[r] = 0.f;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float2 u = __bfloat1622float2(h[k]);
                a[r] += mine[2 * k] * u.x + mine[2 * k + 1] * u.y;
            }
        }
#pragma unroll
        for (int o = 16; o; o /= 2)
#pragma unroll
            for (int r = 0; r < 4; ++r) a[r] += __shfl_xor_sync(~0u, a[r], o);
        float next = fmaxf(fmaxf(fmaxf(a[0], a[1]), fmaxf(a[2], a[3])), m), old = __expf(m - next);
        m = next;
        sum *= old;
#pragma unroll
        for (int k = 0; k < 8; ++k) acc[k] *= old;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const __nv_bfloat162* h = (const __nv_bfloat162*)&v[r];
            float e = __expf(a[r] - m);
            sum += e;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float2 u = __bfloat1622float2(h[k]);
                acc[2 * k] += e * u.x;
                acc[2 * k + 1] += e * u.y;
            }
        }
    }
    if (lane == 0) {
        top[w] = m;
        total[w] = sum;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) all[w][lane * 8 + k] = acc[k];
    __syncthreads();
    m = fmaxf(fmaxf(top[0], top[1]), fmaxf(top[2], top[3]));
    float s = 0.f, v0 = 0.f, v1 = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float e = __expf(top[k] - m);
        s += e * total[k];
        v0 += e * all[k][threadIdx.x];
        v1 += e * all[k][threadIdx.x + 128];
    }
    ap_acc[part * 256 + threadIdx.x] = v0;
    ap_acc[part * 256 + threadIdx.x + 128] = v1;
    if (threadIdx.x == 0) {
        ap_top[part] = m;
        ap_total[part] = s;
    }
}
__global__ void __launch_bounds__(256) ap_merge(float* __restrict__ out) {
    const float* top = ap_top + blockIdx.x * 4;
    float m = fmaxf(fmaxf(top[0], top[1]), fmaxf(top[2], top[3])), s = 0.f, v = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float e = __expf(top[k] - m);
        s += e * ap_total[blockIdx.x * 4 + k];
        v += e * ap_acc[(blockIdx.x * 4 + k) * 256 + threadIdx.x];
    }
    out[blockIdx.x * 256 + threadIdx.x] = v / s;
}
extern "C" void attention_pool(const __nv_bfloat16* x, const __nv_bfloat16* q, float* out, int b, int t, cudaStream_t stream) {
    ap_split<<<dim3(b, 4), 128, 0, stream>>>(x, q, t);
    ap_merge<<<b, 256, 0, stream>>>(out);
}
