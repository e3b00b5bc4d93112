// kernelwright: task=../../tasks/fdtd2d.py entry=fdtd args="ez, hx, hy, out, ez.shape[0], ez.shape[1]"
// one launch a step: each thread also makes the new magnetic values of its left and upper neighbour; two sets of buffers
#include <cuda_runtime.h>

__device__ float fd_e[1000 * 1200], fd_h[4][1000 * 1200];

__global__ void fd_whole(const float* __restrict__ ez, const float* __restrict__ hx, const float* __restrict__ hy, float* __restrict__ eo, float* __restrict__ hxo, float* __restrict__ hyo, int Y, int X) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= X || y >= Y) return;
    int i = y * X + x;
    float e = ez[i], a = hx[i], b = hy[i];
    if (y < Y - 1) a -= 0.5f * (ez[i + X] - e);
    if (x < X - 1) b += 0.5f * (ez[i + 1] - e);
    hxo[i] = a;
    hyo[i] = b;
    float n = e;
    if (x > 0 && y > 0) {
        float up = hx[i - X] - 0.5f * (e - ez[i - X]), left = hy[i - 1] + 0.5f * (e - ez[i - 1]);
        n += 0.5f * (b - left - a + up);
    }
    eo[i] = n;
}
extern "C" void fdtd(const float* ez, const float* hx, const float* hy, float* out, int Y, int X, cudaStream_t stream) {
    dim3 block(32, 8), grid((X + 31) / 32, (Y + 7) / 8);
    float *e, *h;
    cudaGetSymbolAddress((void**)&e, fd_e);
    cudaGetSymbolAddress((void**)&h, fd_h);
    const size_t n = 1000 * 1200;
    for (int s = 0; s < 8; s++) {
        float *to = s % 2 ? out : e, *hxo = h + s % 2 * 2 * n, *hyo = hxo + n;
        const float *from = s == 0 ? ez : s % 2 ? e : out, *hxi = s == 0 ? hx : h + (s + 1) % 2 * 2 * n, *hyi = s == 0 ? hy : hxi + n;
        fd_whole<<<grid, block, 0, stream>>>(from, hxi, hyi, to, hxo, hyo, Y, X);
    }
}
