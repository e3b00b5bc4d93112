// kernelwright: task=../../tasks/paged_decode.py entry=paged args="q, k, v, table, length, out, table.shape[0], k.shape[2], table.shape[1]"
// a block a query head; a thread a key for the scores, then a thread a dimension for the sum
#include <cuda_fp16.h>

__global__ void pd_key(const __half* q, const __half* k, const __half* v, const int* table, const int* length, __half* out, int kv, int pages) {
    __shared__ float score[2048], query[128], red[128];
    int t = threadIdx.x, head = blockIdx.x, b = blockIdx.y, n = length[b], kh = head / 4;
    query[t] = __half2float(q[((size_t)b * kv * 4 + head) * 128 + t]) * 0.08838834764f;
    __syncthreads();
    float top = -INFINITY;
    for (int i = t; i < n; i += 128) {
        const __half* key = k + (((size_t)table[b * pages + i / 16] * 16 + i % 16) * kv + kh) * 128;
        float s = 0.f;
        for (int d = 0; d < 128; ++d) s += query[d] * __half2float(key[d]);
        score[i] = s;
        top = fmaxf(top, s);
    }
    red[t] = top;
    __syncthreads();
    for (int o = 64; o; o /= 2) {
        if (t < o) red[t] = fmaxf(red[t], red[t + o]);
        __syncthreads();
    }
    top = red[0];
    __syncthreads();
    float sum = 0.f;
    for (int i = t; i < n; i += 128) sum += score[i] = expf(score[i] - top);
    red[t] = sum;
    __syncthreads();
    for (int o = 64; o; o /= 2) {
        if (t < o) red[t] += red[t + o];
        __syncthreads();
    }
    float acc = 0.f;
    for (int i = 0; i < n; ++i) acc += score[i] * __half2float(v[(((size_t)table[b * pages + i / 16] * 16 + i % 16) * kv + kh) * 128 + t]);
    out[((size_t)b * kv * 4 + head) * 128 + t] = __float2half(acc / red[0]);
}
extern "C" void paged(const __half* q, const __half* k, const __half* v, const int* table, const int* length, __half* out, int b, int kv, int pages, cudaStream_t stream) {
    pd_key<<<dim3(kv * 4, b), 128, 0, stream>>>(q, k, v, table, length, out, kv, pages);
}
