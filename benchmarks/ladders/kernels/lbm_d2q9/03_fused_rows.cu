// kernelwright: task=../../tasks/lbm_d2q9.py entry=lbm args="f, out, f.shape[1], f.shape[2]"
// one launch, blocks of 256 cells of a row
#include <cuda_runtime.h>

__device__ __forceinline__ float lb_part(float g, float weight, float eu, float base) { return g - 1.2f * (g - weight * (base + eu + 0.5f * eu * eu)); }
__global__ void __launch_bounds__(256) lb_row(const float* __restrict__ f, float* __restrict__ out, int h, int w) {
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    int l = x ? x - 1 : w - 1, r = x < w - 1 ? x + 1 : 0, u = y ? y - 1 : h - 1, d = y < h - 1 ? y + 1 : 0, n = h * w;
    float g0 = f[y * w + x], g1 = f[n + y * w + l], g2 = f[2 * n + u * w + x], g3 = f[3 * n + y * w + r], g4 = f[4 * n + d * w + x];
    float g5 = f[5 * n + u * w + l], g6 = f[6 * n + u * w + r], g7 = f[7 * n + d * w + r], g8 = f[8 * n + d * w + l];
    float rho = g0 + g1 + g2 + g3 + g4 + g5 + g6 + g7 + g8, over = 3.f / rho;
    float ux = (g1 - g3 + g5 - g6 - g7 + g8) * over, uy = (g2 - g4 + g5 + g6 - g7 - g8) * over, base = 1.f - (ux * ux + uy * uy) / 6.f;
    float a = rho * (4.f / 9), b = rho * (1.f / 9), c = rho * (1.f / 36);
    float* o = out + y * w + x;
    o[0] = lb_part(g0, a, 0.f, base);
    o[n] = lb_part(g1, b, ux, base);
    o[2 * n] = lb_part(g2, b, uy, base);
    o[3 * n] = lb_part(g3, b, -ux, base);
    o[4 * n] = lb_part(g4, b, -uy, base);
    o[5 * n] = lb_part(g5, c, ux + uy, base);
    o[6 * n] = lb_part(g6, c, uy - ux, base);
    o[7 * n] = lb_part(g7, c, -ux - uy, base);
    o[8 * n] = lb_part(g8, c, ux - uy, base);
}
extern "C" void lbm(const float* f, float* out, int h, int w, cudaStream_t stream) {
    lb_row<<<dim3(w / 256, h), 256, 0, stream>>>(f, out, h, w);
}
