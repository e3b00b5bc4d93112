// kernelwright: task=../../tasks/depthwise5_half.py entry=depthwise5 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// two channels a thread
#include <cuda_fp16.h>

__global__ void dw_pair(const half2* __restrict__ x, const half2* __restrict__ w, half2* __restrict__ out, int H, int W, int C, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int c = i % C, px = i / C % W, py = i / C / W % H, n = i / C / W / H;
    float2 s = make_float2(0.f, 0.f);
#pragma unroll
    for (int dy = 0; dy < 5; dy++) {
        int y = py + dy - 2;
        if (y < 0 || y >= H) continue;
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            int xx = px + dx - 2;
            if (xx < 0 || xx >= W) continue;
            float2 a = __half22float2(x[((n * H + y) * W + xx) * C + c]), b = __half22float2(__ldg(w + (dy * 5 + dx) * C + c));
            s.x += a.x * b.x;
            s.y += a.y * b.y;
        }
    }
    out[i] = __float22half2_rn(s);
}
extern "C" void depthwise5(const half* x, const half* w, half* out, int N, int H, int W, int C, cudaStream_t stream) {
    int total = N * H * W * C / 2;
    dw_pair<<<(total + 255) / 256, 256, 0, stream>>>((const half2*)x, (const half2*)w, (half2*)out, H, W, C / 2, total);
}
