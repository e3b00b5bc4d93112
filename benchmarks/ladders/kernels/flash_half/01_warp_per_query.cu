// kernelwright: task=../../tasks/flash_half.py entry=flash args="q, k, v, out, q.shape[0], q.shape[1]"
// a warp a query, two dimensions a lane, a reduction for each key
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) fh_dims(const __half2* q, const __half2* k, const __half2* v, __half2* out, int s) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t base = (size_t)(row / s) * s * 32;
    float2 qq = __half22float2(q[(size_t)row * 32 + lane]);
    qq.x *= 0.125f;
    qq.y *= 0.125f;
    float top = -1e30f, sum = 0.f, ox = 0.f, oy = 0.f;
    for (int j = 0; j < s; ++j) {
        float2 kk = __half22float2(k[base + j * 32 + lane]);
        float d = qq.x * kk.x + qq.y * kk.y;
        for (int o = 16; o; o /= 2) d += __shfl_xor_sync(~0u, d, o);
        float now = fmaxf(top, d), c = __expf(top - now), p = __expf(d - now);
        float2 vv = __half22float2(v[base + j * 32 + lane]);
        sum = sum * c + p;
        ox = ox * c + p * vv.x;
        oy = oy * c + p * vv.y;
        top = now;
    }
    out[(size_t)row * 32 + lane] = __floats2half2_rn(ox / sum, oy / sum);
}
extern "C" void flash(const __half* q, const __half* k, const __half* v, __half* out, int bh, int s, cudaStream_t stream) {
    fh_dims<<<bh * s / 8, 256, 0, stream>>>((const __half2*)q, (const __half2*)k, (const __half2*)v, (__half2*)out, s);
}
