// kernelwright: task=../../tasks/flash_half.py entry=flash args="q, k, v, out, q.shape[0], q.shape[1]"
// four queries a warp, a key a lane, tiles of 32 keys in shared memory
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) fh_keys(const __half2* __restrict__ q, const __half2* __restrict__ k, const __half2* __restrict__ v, __half2* __restrict__ out, int s) {
    __shared__ float2 qs[8][4][32];
    __shared__ __half2 ks[32][33], vs[32][32];
    int t = threadIdx.x, w = t / 32, lane = t % 32, row = blockIdx.x * 32 + w * 4;
    size_t base = (size_t)(row / s) * s * 32;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        float2 f = __half22float2(q[(size_t)(row + r) * 32 + lane]);
        qs[w][r][lane] = make_float2(f.x * 0.125f, f.y * 0.125f);
    }
    float top[4], sum[4], ox[4], oy[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        top[r] = -1e30f;
        sum[r] = ox[r] = oy[r] = 0.f;
    }
    for (int j0 = 0; j0 < s; j0 += 32) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            ks[w * 4 + i][lane] = k[base + (size_t)(j0 + w * 4 + i) * 32 + lane];
            vs[w * 4 + i][lane] = v[base + (size_t)(j0 + w * 4 + i) * 32 + lane];
        }
        __syncthreads();
        float d[4] = {};
#pragma unroll 8
        for (int i = 0; i < 32; ++i) {
            float2 kk = __half22float2(ks[lane][i]);
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                float2 qq = qs[w][r][i];
                d[r] += qq.x * kk.x + qq.y * kk.y;
            }
        }
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            float m = d[r];
            for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
            m = fmaxf(m, top[r]);
            float c = __expf(top[r] - m), p = __expf(d[r] - m), all = p;
            for (int o = 16; o; o /= 2) all += __shfl_xor_sync(~0u, all, o);
            sum[r] = sum[r] * c + all;
            ox[r] *= c;
            oy[r] *= c;
            top[r] = m;
            d[r] = p;
        }
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            float2 vv = __half22float2(vs[j][lane]);
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                float p = __shfl_sync(~0u, d[r], j);
                ox[r] += p * vv.x;
                oy[r] += p * vv.y;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) out[(size_t)(row + r) * 32 + lane] = __floats2half2_rn(ox[r] / sum[r], oy[r] / sum[r]);
}
extern "C" void flash(const __half* q, const __half* k, const __half* v, __half* out, int bh, int s, cudaStream_t stream) {
    fh_keys<<<bh * s / 32, 256, 0, stream>>>((const __half2*)q, (const __half2*)k, (const __half2*)v, (__half2*)out, s);
}
