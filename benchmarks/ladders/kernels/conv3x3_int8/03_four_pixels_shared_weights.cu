// kernelwright: task=../../tasks/conv3x3_int8.py entry=conv3x3 args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], w.shape[0]"
// a block 32 filters by 32 pixels of a row; filters of one tap in shared memory, four pixels a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cq_tile(const int* __restrict__ x, const int* __restrict__ w, signed char* __restrict__ out, int H, int W, int C4, int K) {
    __shared__ int ws[32][33], xs[34][33];
    int t = threadIdx.x, tx = t % 32, ty = t / 32, strips = (W + 31) / 32;
    int p0 = blockIdx.x % strips * 32, py = blockIdx.x / strips % H, n = blockIdx.x / strips / H, k0 = blockIdx.y * 32;
    int s[4] = {};
    for (int c0 = 0; c0 < C4; c0 += 32) {
        int cs = min(32, C4 - c0);
        for (int r = 0; r < 3; r++) {
            int y = py + r - 1;
            if (y < 0 || y >= H) continue;
            __syncthreads();
            for (int i = t; i < 34 * 32; i += 256) {
                int xx = p0 + i / 32 - 1, c = i % 32;
                xs[i / 32][c] = xx >= 0 && xx < W && c < cs ? x[((n * H + y) * W + xx) * C4 + c0 + c] : 0;
            }
            for (int q = 0; q < 3; q++) {
                __syncthreads();
                for (int i = t; i < 1024; i += 256)
                    ws[i / 32][i % 32] = i % 32 < cs ? w[(((k0 + i / 32) * 3 + r) * 3 + q) * C4 + c0 + i % 32] : 0;
                __syncthreads();
                for (int c = 0; c < cs; c++) {
                    int b = ws[tx][c];
#pragma unroll
                    for (int j = 0; j < 4; j++) s[j] = __dp4a(xs[ty * 4 + j + q][c], b, s[j]);
                }
            }
        }
    }
    for (int j = 0; j < 4; j++) {
        int px = p0 + ty * 4 + j;
        if (px < W) out[((n * H + py) * W + px) * K + k0 + tx] = (signed char)max(-128, min(127, __float2int_rn(s[j] * 0.0009765625f)));
    }
}
extern "C" void conv3x3(const signed char* x, const signed char* w, signed char* out, int N, int H, int W, int C, int K, cudaStream_t stream) {
    cq_tile<<<dim3((W + 31) / 32 * H * N, K / 32), 256, 0, stream>>>((const int*)x, (const int*)w, out, H, W, C / 4, K);
}
