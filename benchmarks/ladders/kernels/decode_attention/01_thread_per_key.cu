// kernelwright: task=../../tasks/decode_attention.py entry=decode_attention args="q, k, v, out, k.shape[0], k.shape[1]"
// a block a head, a thread a key, then a thread a dimension
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void da_thread(const __half* q, const __half* k, const __half* v, __half* out, int s) {
    extern __shared__ float p[];
    __shared__ float qs[128], part[256];
    int t = threadIdx.x, head = blockIdx.x;
    if (t < 128) qs[t] = __half2float(q[head * 128 + t]) * 0.08838834764f;
    __syncthreads();
    float most = -INFINITY;
    for (int i = t; i < s; i += 256) {
        float sum = 0.f;
        for (int d = 0; d < 128; ++d) sum += qs[d] * __half2float(k[((size_t)head * s + i) * 128 + d]);
        p[i] = sum;
        most = fmaxf(most, sum);
    }
    part[t] = most;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if (t < o) part[t] = fmaxf(part[t], part[t + o]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    float all = 0.f;
    for (int i = t; i < s; i += 256) {
        float e = expf(p[i] - most);
        p[i] = e;
        all += e;
    }
    part[t] = all;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) {
        if (t < o) part[t] += part[t + o];
        __syncthreads();
    }
    if (t < 128) {
        float sum = 0.f;
        for (int i = 0; i < s; ++i) sum += p[i] * __half2float(v[((size_t)head * s + i) * 128 + t]);
        out[head * 128 + t] = __float2half(sum / part[0]);
    }
}
extern "C" void decode_attention(const __half* q, const __half* k, const __half* v, __half* out, int heads, int s, cudaStream_t stream) {
    da_thread<<<heads, 256, s * sizeof(float), stream>>>(q, k, v, out, s);
}
