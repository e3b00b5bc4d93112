// kernelwright: task=../../tasks/lbm_d2q9.py entry=lbm args="f, out, f.shape[1], f.shape[2]"
// four cells of a row a thread: float4 where fields move up, down or not, shuffles for the sideways neighbours
#include <cuda_runtime.h>

__device__ __forceinline__ float lb_part(float g, float weight, float eu, float base) { return g - 1.2f * (g - weight * (base + eu + 0.5f * eu * eu)); }
__device__ __forceinline__ void lb_load(const float* row, int x, int w, int ex, float* g) {
    float4 v = *(const float4*)(row + x);
    int lane = threadIdx.x % 32;
    if (ex > 0) {
        float left = __shfl_up_sync(~0u, v.w, 1);
        if (lane == 0) left = row[x ? x - 1 : w - 1];
        g[0] = left;
        g[1] = v.x;
        g[2] = v.y;
        g[3] = v.z;
    } else if (ex < 0) {
        float right = __shfl_down_sync(~0u, v.x, 1);
        if (lane == 31) right = row[x + 4 < w ? x + 4 : 0];
        g[0] = v.y;
        g[1] = v.z;
        g[2] = v.w;
        g[3] = right;
    } else {
        g[0] = v.x;
        g[1] = v.y;
        g[2] = v.z;
        g[3] = v.w;
    }
}
__global__ void __launch_bounds__(64) lb_four(const float* __restrict__ f, float* __restrict__ out, int h, int w) {
    int x = (blockIdx.x * 64 + threadIdx.x) * 4, y = blockIdx.y, u = y ? y - 1 : h - 1, d = y < h - 1 ? y + 1 : 0, n = h * w;
    float g[9][4];
    lb_load(f + y * w, x, w, 0, g[0]);
    lb_load(f + n + y * w, x, w, 1, g[1]);
    lb_load(f + 2 * n + u * w, x, w, 0, g[2]);
    lb_load(f + 3 * n + y * w, x, w, -1, g[3]);
    lb_load(f + 4 * n + d * w, x, w, 0, g[4]);
    lb_load(f + 5 * n + u * w, x, w, 1, g[5]);
    lb_load(f + 6 * n + u * w, x, w, -1, g[6]);
    lb_load(f + 7 * n + d * w, x, w, -1, g[7]);
    lb_load(f + 8 * n + d * w, x, w, 1, g[8]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float rho = g[0][i] + g[1][i] + g[2][i] + g[3][i] + g[4][i] + g[5][i] + g[6][i] + g[7][i] + g[8][i], over = __fdividef(3.f, rho);
        float ux = (g[1][i] - g[3][i] + g[5][i] - g[6][i] - g[7][i] + g[8][i]) * over, uy = (g[2][i] - g[4][i] + g[5][i] + g[6][i] - g[7][i] - g[8][i]) * over;
        float base = 1.f - (ux * ux + uy * uy) * (1.f / 6), a = rho * (4.f / 9), b = rho * (1.f / 9), c = rho * (1.f / 36);
        g[0][i] = lb_part(g[0][i], a, 0.f, base);
        g[1][i] = lb_part(g[1][i], b, ux, base);
        g[2][i] = lb_part(g[2][i], b, uy, base);
        g[3][i] = lb_part(g[3][i], b, -ux, base);
        g[4][i] = lb_part(g[4][i], b, -uy, base);
        g[5][i] = lb_part(g[5][i], c, ux + uy, base);
        g[6][i] = lb_part(g[6][i], c, uy - ux, base);
        g[7][i] = lb_part(g[7][i], c, -ux - uy, base);
        g[8][i] = lb_part(g[8][i], c, ux - uy, base);
    }
#pragma unroll
    for (int k = 0; k < 9; ++k) *(float4*)&out[k * n + y * w + x] = make_float4(g[k][0], g[k][1], g[k][2], g[k][3]);
}
extern "C" void lbm(const float* f, float* out, int h, int w, cudaStream_t stream) {
    lb_four<<<dim3(w / 256, h), 64, 0, stream>>>(f, out, h, w);
}
