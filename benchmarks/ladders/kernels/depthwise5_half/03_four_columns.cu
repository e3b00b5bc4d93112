// kernelwright: task=../../tasks/depthwise5_half.py entry=depthwise5 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// two channels of four columns a thread: eight loads of a row serve twenty products; W a multiple of 4
#include <cuda_fp16.h>

__global__ void dw_strip(const half2* __restrict__ x, const half2* __restrict__ w, half2* __restrict__ out, int H, int W, int C, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int c = i % C, px = i / C % (W / 4) * 4, py = i / C / (W / 4) % H, n = i / C / (W / 4) / H;
    float2 s[4] = {};
#pragma unroll
    for (int dy = 0; dy < 5; dy++) {
        int y = py + dy - 2;
        if (y < 0 || y >= H) continue;
        float2 a[8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int xx = px + j - 2;
            a[j] = xx >= 0 && xx < W ? __half22float2(x[((n * H + y) * W + xx) * C + c]) : make_float2(0.f, 0.f);
        }
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            float2 b = __half22float2(__ldg(w + (dy * 5 + dx) * C + c));
#pragma unroll
            for (int j = 0; j < 4; j++) {
                s[j].x += a[j + dx].x * b.x;
                s[j].y += a[j + dx].y * b.y;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) out[((n * H + py) * W + px + j) * C + c] = __float22half2_rn(s[j]);
}
extern "C" void depthwise5(const half* x, const half* w, half* out, int N, int H, int W, int C, cudaStream_t stream) {
    int total = N * H * (W / 4) * C / 2;
    dw_strip<<<(total + 127) / 128, 128, 0, stream>>>((const half2*)x, (const half2*)w, (half2*)out, H, W, C / 2, total);
}
