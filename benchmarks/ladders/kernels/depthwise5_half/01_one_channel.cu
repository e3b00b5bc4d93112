// kernelwright: task=../../tasks/depthwise5_half.py entry=depthwise5 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// one output a thread, neighbouring threads neighbouring channels
#include <cuda_fp16.h>

__global__ void dw_one(const half* x, const half* w, half* out, int H, int W, int C, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int c = i % C, px = i / C % W, py = i / C / W % H, n = i / C / W / H;
    float s = 0.f;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++) {
            int y = py + dy - 2, xx = px + dx - 2;
            if (y >= 0 && y < H && xx >= 0 && xx < W)
                s += __half2float(x[((n * H + y) * W + xx) * C + c]) * __half2float(w[(dy * 5 + dx) * C + c]);
        }
    out[i] = __float2half(s);
}
extern "C" void depthwise5(const half* x, const half* w, half* out, int N, int H, int W, int C, cudaStream_t stream) {
    int total = N * H * W * C;
    dw_one<<<(total + 255) / 256, 256, 0, stream>>>(x, w, out, H, W, C, total);
}
