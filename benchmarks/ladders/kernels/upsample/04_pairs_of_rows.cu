// kernelwright: task=../../tasks/upsample.py entry=upsample args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread the four outputs around one input, pairs stored at once
#include <cuda_runtime.h>

__global__ void up_pairs(const float* __restrict__ x, float2* __restrict__ out, int h, int w) {
    int ix = blockIdx.x * 32 + threadIdx.x, iy = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z;
    if (ix >= w || iy >= h) return;
    const float* s = x + (size_t)p * h * w;
    int xm = max(ix - 1, 0), xp = min(ix + 1, w - 1), ym = max(iy - 1, 0), yp = min(iy + 1, h - 1);
    float c[3][2];
    const int rows[3] = {ym, iy, yp};
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        float a = s[rows[r] * w + xm], b = s[rows[r] * w + ix], d = s[rows[r] * w + xp];
        c[r][0] = 0.25f * a + 0.75f * b;
        c[r][1] = 0.75f * b + 0.25f * d;
    }
    size_t o = ((size_t)p * 2 * h + 2 * iy) * w + ix;
    out[o] = make_float2(0.25f * c[0][0] + 0.75f * c[1][0], 0.25f * c[0][1] + 0.75f * c[1][1]);
    out[o + w] = make_float2(0.75f * c[1][0] + 0.25f * c[2][0], 0.75f * c[1][1] + 0.25f * c[2][1]);
}
extern "C" void upsample(const float* x, float* out, int p, int h, int w, cudaStream_t stream) {
    up_pairs<<<dim3((w + 31) / 32, (h + 7) / 8, p), dim3(32, 8), 0, stream>>>(x, (float2*)out, h, w);
}
