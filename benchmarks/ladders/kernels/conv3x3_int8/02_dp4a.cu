// kernelwright: task=../../tasks/conv3x3_int8.py entry=conv3x3 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], w.shape[0]"
// four channels a word, products by dp4a
#include <cuda_runtime.h>

__global__ void cq_dp4a(const int* __restrict__ x, const int* __restrict__ w, signed char* __restrict__ out, int H, int W, int C4, int K, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int k = i % K, px = i / K % W, py = i / K / W % H, n = i / K / W / H, s = 0;
    for (int r = 0; r < 3; r++)
        for (int q = 0; q < 3; q++) {
            int y = py + r - 1, xx = px + q - 1;
            if (y < 0 || y >= H || xx < 0 || xx >= W) continue;
            const int* a = x + ((n * H + y) * W + xx) * C4;
            const int* b = w + ((k * 3 + r) * 3 + q) * C4;
#pragma unroll 4
            for (int c = 0; c < C4; c++) s = __dp4a(a[c], b[c], s);
        }
    out[i] = (signed char)max(-128, min(127, __float2int_rn(s * 0.0009765625f)));
}
extern "C" void conv3x3(const signed char* x, const signed char* w, signed char* out, int N, int H, int W, int C, int K, cudaStream_t stream) {
    int total = N * H * W * K;
    cq_dp4a<<<(total + 255) / 256, 256, 0, stream>>>((const int*)x, (const int*)w, out, H, W, C / 4, K, total);
}
