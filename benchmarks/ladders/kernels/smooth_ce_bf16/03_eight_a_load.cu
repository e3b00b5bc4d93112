// kernelwright: task=../../tasks/smooth_ce_bf16.py entry=smooth_ce args="x, label, out, x.shape[0], x.shape[1]"
// sixteen bytes a load, one rescaling for eight logits; V a multiple of 8
#include <cuda_bf16.h>
#include <math.h>

__global__ void __launch_bounds__(256) sc_eight(const uint4* __restrict__ x, const int* __restrict__ label, float* __restrict__ out, int V) {
    __shared__ float pm[8], ps[8], pl[8];
    const uint4* row = x + (size_t)blockIdx.x * (V / 8);
    int t = threadIdx.x;
    float m = -1e30f, s = 0.f, l = 0.f;
    for (int i = t; i < V / 8; i += 256) {
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
        s *= __expf(m - n);
#pragma unroll
        for (int j = 0; j < 8; j++) s += __expf(v[j] - n);
        m = n;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o), n = fmaxf(m, om);
        s = s * __expf(m - n) + os * __expf(om - n);
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
        for (int w = 1; w < 8; w++) {
            float n = fmaxf(m, pm[w]);
            s = s * __expf(m - n) + ps[w] * __expf(pm[w] - n);
            m = n;
            l += pl[w];
        }
        float at = __bfloat162float(((const __nv_bfloat16*)row)[label[blockIdx.x]]);
        out[blockIdx.x] = m + logf(s) - 0.9f * at - 0.1f * l / V;
    }
}
extern "C" void smooth_ce(const __nv_bfloat16* x, const int* label, float* out, int rows, int V, cudaStream_t stream) {
    sc_eight<<<rows, 256, 0, stream>>>((const uint4*)x, label, out, V);
}
