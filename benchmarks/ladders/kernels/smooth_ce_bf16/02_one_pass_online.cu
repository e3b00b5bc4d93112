// kernelwright: task=../../tasks/smooth_ce_bf16.py entry=smooth_ce args="x, label, out, x.shape[0], x.shape[1]"
// one launch and one pass: maximum, sum of exponentials and sum of logits together
#include <cuda_bf16.h>
#include <math.h>

__global__ void sc_online(const __nv_bfloat16* __restrict__ x, const int* __restrict__ label, float* __restrict__ out, int V) {
    __shared__ float pm[256], ps[256], pl[256];
    const __nv_bfloat16* row = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x;
    float m = -1e30f, s = 0.f, l = 0.f;
    for (int i = t; i < V; i += 256) {
        float v = __bfloat162float(row[i]), n = fmaxf(m, v);
        s = s * expf(m - n) + expf(v - n);
        m = n;
        l += v;
    }
    pm[t] = m;
    ps[t] = s;
    pl[t] = l;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) {
            float n = fmaxf(pm[t], pm[t + k]);
            ps[t] = ps[t] * expf(pm[t] - n) + ps[t + k] * expf(pm[t + k] - n);
            pm[t] = n;
            pl[t] += pl[t + k];
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = pm[0] + logf(ps[0]) - 0.9f * __bfloat162float(row[label[blockIdx.x]]) - 0.1f * pl[0] / V;
}
extern "C" void smooth_ce(const __nv_bfloat16* x, const int* label, float* out, int rows, int V, cudaStream_t stream) {
    sc_online<<<rows, 256, 0, stream>>>(x, label, out, V);
}
