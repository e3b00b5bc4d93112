// kernelwright: task=../../tasks/bilateral.py entry=bilateral args="x, out, x.shape[0], x.shape[1]"
// four pixels of a column a thread, each value of the tile read once for the four
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) bl_four(const float* __restrict__ x, float* __restrict__ out, int h, int w) {
    const float e = 1.44269504f;
    __shared__ float tile[38][38];
    int c0 = blockIdx.x * 32, r0 = blockIdx.y * 32, tx = threadIdx.x, ty = threadIdx.y * 4;
    for (int r = threadIdx.y; r < 38; r += 8) {
        const float* row = x + min(max(r0 + r - 3, 0), h - 1) * w;
        for (int c = tx; c < 38; c += 32) tile[r][c] = row[min(max(c0 + c - 3, 0), w - 1)];
    }
    __syncthreads();
    float mid[4], total[4] = {}, weights[4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) mid[k] = tile[ty + k + 3][tx + 3];
#pragma unroll
    for (int y = 0; y < 10; ++y)
#pragma unroll
        for (int dx = 0; dx < 7; ++dx) {
            float v = tile[ty + y][tx + dx];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                int dy = y - k;
                if (dy < 0 || dy > 6) continue;
                float d = v - mid[k], far = (float)((dx - 3) * (dx - 3) + (dy - 3) * (dy - 3));
                float g = exp2f(fmaf(d * d, -8.f * e, -far * 0.125f * e));
                total[k] = fmaf(g, v, total[k]);
                weights[k] += g;
            }
        }
    if (c0 + tx >= w) return;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (r0 + ty + k < h) out[(r0 + ty + k) * w + c0 + tx] = __fdividef(total[k], weights[k]);
}
extern "C" void bilateral(const float* x, float* out, int h, int w, cudaStream_t stream) {
    bl_four<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
