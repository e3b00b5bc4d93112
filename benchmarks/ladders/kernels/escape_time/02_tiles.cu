// kernelwright: task=../../tasks/escape_time.py entry=escape_time args="re, im, out, re.shape[0], im.shape[0]"
// a warp a tile of 8 by 4 points, squares kept, eight rounds between looks at the radius
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) et_tiles(const float* __restrict__ re, const float* __restrict__ im, int* __restrict__ out, int w, int h) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = blockIdx.x * 16 + warp % 2 * 8 + lane % 8, y = blockIdx.y * 8 + warp / 2 * 4 + lane / 8;
    if (x >= w || y >= h) return;
    float cr = re[x], ci = im[y], a = 0.f, b = 0.f, aa = 0.f, bb = 0.f;
    int count = 0;
    for (int round = 0; round < 25; ++round) {
        float a0 = a, b0 = b;
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            b = fmaf(a + a, b, ci);
            a = aa - bb + cr;
            aa = a * a;
            bb = b * b;
        }
        if (!(aa + bb <= 4.f)) {
            a = a0;
            b = b0;
            while (a * a + b * b <= 4.f && count < 200) {
                float t = a * a - b * b + cr;
                b = 2 * a * b + ci;
                a = t;
                ++count;
            }
            break;
        }
        count += 8;
    }
    out[(size_t)y * w + x] = count;
}
extern "C" void escape_time(const float* re, const float* im, int* out, int w, int h, cudaStream_t stream) {
    et_tiles<<<dim3((w + 15) / 16, (h + 7) / 8), 128, 0, stream>>>(re, im, out, w, h);
}
