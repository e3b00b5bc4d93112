// kernelwright: task=../../tasks/lstm_cell_half.py entry=lstm args="gx, gh, bias, c, out, c.shape[0], c.shape[1]"
// two cells a thread, pairs of halves loaded and stored
#include <cuda_fp16.h>

__device__ __forceinline__ float lc_sigmoid(float x) {
    return 1.f / (1.f + expf(-x));
}
__global__ void __launch_bounds__(256) lc_pairs(const __half2* __restrict__ gx, const __half2* __restrict__ gh, const __half2* __restrict__ bias, const __half2* __restrict__ c, __half2* __restrict__ out, int h2, int total) {
    int t = blockIdx.x * 256 + threadIdx.x;
    if (t >= total) return;
    int b = t / h2, j = t % h2;
    float2 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        size_t at = (size_t)b * 4 * h2 + k * h2 + j;
        float2 x = __half22float2(gx[at]), y = __half22float2(gh[at]), z = __half22float2(bias[k * h2 + j]);
        v[k] = make_float2(x.x + y.x + z.x, x.y + y.y + z.y);
    }
    float2 old = __half22float2(c[t]);
    float n0 = lc_sigmoid(v[1].x) * old.x + lc_sigmoid(v[0].x) * tanhf(v[2].x);
    float n1 = lc_sigmoid(v[1].y) * old.y + lc_sigmoid(v[0].y) * tanhf(v[2].y);
    out[t] = __floats2half2_rn(lc_sigmoid(v[3].x) * tanhf(n0), lc_sigmoid(v[3].y) * tanhf(n1));
    out[total + t] = __floats2half2_rn(n0, n1);
}
extern "C" void lstm(const __half* gx, const __half* gh, const __half* bias, const __half* c, __half* out, int b, int h, cudaStream_t stream) {
    int total = b * h / 2;
    lc_pairs<<<(total + 255) / 256, 256, 0, stream>>>((const __half2*)gx, (const __half2*)gh, (const __half2*)bias, (const __half2*)c, (__half2*)out, h / 2, total);
}
