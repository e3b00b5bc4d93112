// kernelwright: task=../../tasks/window_attention.py entry=window_attention args="q, k, v, out, q.shape[0]"
// a thread a query, keys and values from global memory, scores in local memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void wa_thread(const __half* q, const __half* k, const __half* v, __half* out) {
    size_t base = (size_t)blockIdx.x * 2048;
    int t = threadIdx.x;
    float s[64], m = -1e30f, l = 0.f;
    for (int j = 0; j < 64; ++j) {
        float d = 0.f;
        for (int i = 0; i < 32; ++i) d += __half2float(q[base + t * 32 + i]) * __half2float(k[base + j * 32 + i]);
        s[j] = d * 0.17677669f;
        m = fmaxf(m, s[j]);
    }
    for (int j = 0; j < 64; ++j) { s[j] = expf(s[j] - m); l += s[j]; }
    for (int i = 0; i < 32; ++i) {
        float a = 0.f;
        for (int j = 0; j < 64; ++j) a += s[j] * __half2float(v[base + j * 32 + i]);
        out[base + t * 32 + i] = __float2half(a / l);
    }
}
extern "C" void window_attention(const __half* q, const __half* k, const __half* v, __half* out, int b, cudaStream_t stream) {
    wa_thread<<<b, 64, 0, stream>>>(q, k, v, out);
}
