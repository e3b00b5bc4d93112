// kernelwright: task=../../tasks/smooth_ce_bf16.py entry=smooth_ce args="x, label, out, x.shape[0], x.shape[1]"
// 512 threads, powers of two with the scale folded into one multiply-add
#include <cuda_bf16.h>
#include <math.h>

__global__ void __launch_bounds__(512) sc_exp2(const uint4* __restrict__ x, const int* __restrict__ label, float* __restrict__ out, int V) {
    __shared__ float pm[16], ps[16], pl[16];
    const uint4* row = x + (size_t)blockIdx.x * (V / 8);
    const float L2E = 1.44269504f;
    int t = threadIdx.x;
    float m = -1e30f, s = 0.f, l = 0.f;
#pragma unroll 2
    for (int i = t; i < V / 8; i += 512) {
        uint4 u = row[i];
        const __nv_bfloat162* h = (const __nv_bfloat162*)&u;
        float v[8], n = m;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 f = __bfloat1622float2(h[j]);
            v[2 * j] = f.x;
            v[2 * j + 1] = f.y;
            n = fmaxf(n, fmaxf(f.x, f.y));
            l += f.x + f.y;
        }
        float c = n * L2E;
        s *= exp2f(m * L2E - c);
#pragma unroll
        for (int j = 0; j < 8; j++) s += exp2f(v[j] * L2E - c);
        m = n;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o), n = fmaxf(m, om);
        s = s * exp2f((m - n) * L2E) + os * exp2f((om - n) * L2E);
        m = n;
        l += __shfl_xor_sync(~0u, l, o);
    }
    if (t % 32 == 0) {
        pm[t / 32] = m;
        ps[t / 32] = s;
        pl[t / 32] = l;
    }
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 16; w++) {
            float n = fmaxf(m, pm[w]);
            s = s * exp2f((m - n) * L2E) + ps[w] * exp2f((pm[w] - n) * L2E);
            m = n;
            l += pl[w];
        }
        float at = __bfloat162float(((const __nv_bfloat16*)row)[label[blockIdx.x]]);
        out[blockIdx.x] = m + logf(s) - 0.9f * at - 0.1f * l / V;
    }
}
extern "C" void smooth_ce(const __nv_bfloat16* x, const int* label, float* out, int rows, int V, cudaStream_t stream) {
    sc_exp2<<<rows, 512, 0, stream>>>((const uint4*)x, label, out, V);
}
