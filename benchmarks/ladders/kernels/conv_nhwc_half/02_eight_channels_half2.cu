// kernelwright: task=../../tasks/conv_nhwc_half.py entry=conv args="x, w, out, x.shape[0], x.shape[1], x.shape[3], w.shape[0]"
// a thread a pixel and eight output channels, eight inputs a load, products of pairs
#include <cuda_fp16.h>

__global__ void __launch_bounds__(128) cn_pairs(const __half* __restrict__ x, const __half* __restrict__ w, __half* __restrict__ out, int hw, int c, int o, int pixels) {
    int p = blockIdx.x * 128 + threadIdx.x, k0 = blockIdx.y * 8;
    if (p >= pixels) return;
    int px = p % hw, py = p / hw % hw;
    float acc[8] = {};
    for (int rq = 0; rq < 9; ++rq) {
        int dy = rq / 3 - 1, dx = rq % 3 - 1;
        if (py + dy < 0 || py + dy >= hw || px + dx < 0 || px + dx >= hw) continue;
        const __half* xp = x + (size_t)(p + dy * hw + dx) * c;
        const __half* wp = w + ((size_t)k0 * 9 + rq) * c;
        for (int i = 0; i < c; i += 8) {
            uint4 a = *(const uint4*)(xp + i);
            const __half2* ah = (const __half2*)&a;
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                uint4 v = *(const uint4*)(wp + (size_t)k * 9 * c + i);
                const __half2* vh = (const __half2*)&v;
                __half2 s = __hmul2(ah[0], vh[0]);
                s = __hfma2(ah[1], vh[1], s);
                s = __hfma2(ah[2], vh[2], s);
                s = __hfma2(ah[3], vh[3], s);
                float2 f = __half22float2(s);
                acc[k] += f.x + f.y;
            }
        }
    }
    uint4 r;
    __half2* rh = (__half2*)&r;
#pragma unroll
    for (int k = 0; k < 4; ++k) rh[k] = __floats2half2_rn(acc[2 * k], acc[2 * k + 1]);
    *(uint4*)(out + (size_t)p * o + k0) = r;
}
extern "C" void conv(const __half* x, const __half* w, __half* out, int b, int hw, int c, int o, cudaStream_t stream) {
    int pixels = b * hw * hw;
    cn_pairs<<<dim3((pixels + 127) / 128, o / 8), 128, 0, stream>>>(x, w, out, hw, c, o, pixels);
}
