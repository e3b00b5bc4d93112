// kernelwright: task=../../tasks/depthwise5_half.py entry=depthwise5 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// as before with sums of each row in half2 by __hfma2, rows added in float
#include <cuda_fp16.h>

__global__ void __launch_bounds__(128) dw_hfma(const half2* __restrict__ x, const half2* __restrict__ w, half2* __restrict__ out, int H, int W, int C, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int c = i % C, px = i / C % (W / 4) * 4, py = i / C / (W / 4) % H, n = i / C / (W / 4) / H;
    const half2 zero = __float2half2_rn(0.f);
    float2 s[4] = {};
#pragma unroll
    for (int dy = 0; dy < 5; dy++) {
        int y = py + dy - 2;
        if (y < 0 || y >= H) continue;
        half2 a[8], r[4] = {zero, zero, zero, zero};
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int xx = px + j - 2;
            a[j] = xx >= 0 && xx < W ? x[((n * H + y) * W + xx) * C + c] : zero;
        }
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            half2 b = __ldg(w + (dy * 5 + dx) * C + c);
#pragma unroll
            for (int j = 0; j < 4; j++) r[j] = __hfma2(a[j + dx], b, r[j]);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 v = __half22float2(r[j]);
            s[j].x += v.x;
            s[j].y += v.y;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) out[((n * H + py) * W + px + j) * C + c] = __float22half2_rn(s[j]);
}
extern "C" void depthwise5(const half* x, const half* w, half* out, int N, int H, int W, int C, cudaStream_t stream) {
    int total = N * H * (W / 4) * C / 2;
    dw_hfma<<<(total + 127) / 128, 128, 0, stream>>>((const half2*)x, (const half2*)w, (half2*)out, H, W, C / 2, total);
}
