// kernelwright: task=../../tasks/window_attention.py entry=window_attention args="q, k, v, out, q.shape[0]"
// a thread a query in registers, keys and values as floats in shared memory, running maximum
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) wa_online(const __half2* q, const __half2* k, const __half2* v, __half2* out) {
    __shared__ __align__(16) float ks[64][32], vs[64][32];
    size_t base = (size_t)blockIdx.x * 1024;
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 64) {
        ((float2*)ks)[i] = __half22float2(k[base + i]);
        ((float2*)vs)[i] = __half22float2(v[base + i]);
    }
    float qr[32], acc[32] = {}, m = -1e30f, l = 0.f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        float2 f = __half22float2(q[base + t * 16 + i]);
        qr[2 * i] = f.x * 0.17677669f; qr[2 * i + 1] = f.y * 0.17677669f;
    }
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
        float d = 0.f;
#pragma unroll
        for (int i = 0; i < 32; ++i) d += qr[i] * ks[j][i];
        float n = fmaxf(m, d), c = __expf(m - n), e = __expf(d - n);
        m = n;
        l = l * c + e;
#pragma unroll
        for (int i = 0; i < 32; ++i) acc[i] = acc[i] * c + e * vs[j][i];
    }
    l = 1.f / l;
#pragma unroll
    for (int i = 0; i < 16; ++i) out[base + t * 16 + i] = __floats2half2_rn(acc[2 * i] * l, acc[2 * i + 1] * l);
}
extern "C" void window_attention(const __half* q, const __half* k, const __half* v, __half* out, int b, cudaStream_t stream) {
    wa_online<<<b, 64, 0, stream>>>((const __half2*)q, (const __half2*)k, (const __half2*)v, (__half2*)out);
}
