// kernelwright: task=../../tasks/sobel_bytes.py entry=sobel args="x, out, x.shape[0], x.shape[1]"
// four pixels a thread down 16 rows: sums and differences of three rows stay in registers, sides by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) sb_strip(const unsigned char* __restrict__ x, unsigned char* __restrict__ out, int h, int w) {
    int c = (blockIdx.x * 128 + threadIdx.x) * 4, r0 = blockIdx.y * 16, lane = threadIdx.x % 32;
    int diff[3][4], sum[3][4];
#pragma unroll
    for (int k = 0; k < 18; ++k) {
        int r = r0 + k - 1;
        unsigned q = 0, left = 0, right = 0;
        if (r >= 0 && r < h) {
            const unsigned char* p = x + (size_t)r * w + c;
            q = *(const unsigned*)p;
            if (lane == 0 && c > 0) left = p[-1];
            if (lane == 31 && c + 4 < w) right = p[4];
        }
        unsigned l = __shfl_up_sync(~0u, q, 1), n = __shfl_down_sync(~0u, q, 1);
        if (lane) left = l >> 24;
        if (lane < 31) right = n & 255;
        int v[6] = {(int)left, (int)(q & 255), (int)(q >> 8 & 255), (int)(q >> 16 & 255), (int)(q >> 24), (int)right};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            diff[k % 3][i] = v[i + 2] - v[i];
            sum[k % 3][i] = v[i] + 2 * v[i + 1] + v[i + 2];
        }
        if (k < 2) continue;
        unsigned g = 0;
        int y = r - 1;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int gx = diff[(k + 1) % 3][i] + 2 * diff[(k + 2) % 3][i] + diff[k % 3][i];
            int gy = sum[k % 3][i] - sum[(k + 1) % 3][i];
            unsigned e = min(abs(gx) + abs(gy), 255);
            if (c + i > 0 && c + i < w - 1) g |= e << (8 * i);
        }
        if (y == 0 || y == h - 1) g = 0;
        if (c < w) *(unsigned*)(out + (size_t)y * w + c) = g;
    }
}
extern "C" void sobel(const unsigned char* x, unsigned char* out, int h, int w, cudaStream_t stream) {
    sb_strip<<<dim3(w / 512, h / 16), 128, 0, stream>>>(x, out, h, w);
}
