// kernelwright: task=../../tasks/bilateral.py entry=bilateral args="x, out, x.shape[0], x.shape[1]"
// the tile and its border in shared memory
#include <cuda_runtime.h>

__global__ void bl_tile(const float* __restrict__ x, float* __restrict__ out, int h, int w) {
    const float e = 1.44269504f;
    __shared__ float tile[14][38];
    int c0 = blockIdx.x * 32, r0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
    for (int i = ty * 32 + tx; i < 14 * 38; i += 256) {
        int rr = min(max(r0 + i / 38 - 3, 0), h - 1), cc = min(max(c0 + i % 38 - 3, 0), w - 1);
        tile[i / 38][i % 38] = x[rr * w + cc];
    }
    __syncthreads();
    if (c0 + tx >= w || r0 + ty >= h) return;
    float mid = tile[ty + 3][tx + 3], total = 0.f, weights = 0.f;
#pragma unroll
    for (int dy = 0; dy < 7; ++dy)
#pragma unroll
        for (int dx = 0; dx < 7; ++dx) {
            float v = tile[ty + dy][tx + dx], d = v - mid;
            float k = exp2f(-((dx - 3) * (dx - 3) + (dy - 3) * (dy - 3)) * 0.125f * e - d * d * (8.f * e));
            total += k * v;
            weights += k;
        }
    out[(r0 + ty) * w + c0 + tx] = total / weights;
}
extern "C" void bilateral(const float* x, float* out, int h, int w, cudaStream_t stream) {
    bl_tile<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
