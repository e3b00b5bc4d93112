// kernelwright: task=../../tasks/conv3x3_int8.py entry=conv3x3 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], w.shape[0]"
// an output a thread, byte by byte
#include <cuda_runtime.h>

__global__ void cq_bytes(const signed char* x, const signed char* w, signed char* out, int H, int W, int C, int K, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int k = i % K, px = i / K % W, py = i / K / W % H, n = i / K / W / H, s = 0;
    for (int r = 0; r < 3; r++)
        for (int q = 0; q < 3; q++) {
            int y = py + r - 1, xx = px + q - 1;
            if (y < 0 || y >= H || xx < 0 || xx >= W) continue;
            for (int c = 0; c < C; c++) s += x[((n * H + y) * W + xx) * C + c] * w[((k * 3 + r) * 3 + q) * C + c];
        }
    out[i] = (signed char)max(-128, min(127, __float2int_rn(s * 0.0009765625f)));
}
extern "C" void conv3x3(const signed char* x, const signed char* w, signed char* out, int N, int H, int W, int C, int K, cudaStream_t stream) {
    int total = N * H * W * K;
    cq_bytes<<<(total + 255) / 256, 256, 0, stream>>>(x, w, out, H, W, C, K, total);
}
