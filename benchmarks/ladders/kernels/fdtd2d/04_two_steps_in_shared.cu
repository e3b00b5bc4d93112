// kernelwright: task=../../tasks/fdtd2d.py entry=fdtd args="ez, hx, hy, out, ez.shape[0], ez.shape[1]"
// two steps a launch: tiles of 32 x 16 with margins of two in shared memory
#include <cuda_runtime.h>

__device__ float fd_e[1000 * 1200], fd_h[4][1000 * 1200];
constexpr int TX = 32, TY = 16, SX = TX + 4, SY = TY + 4;

__global__ void __launch_bounds__(256) fd_twice(const float* __restrict__ ez, const float* __restrict__ hx, const float* __restrict__ hy, float* __restrict__ eo, float* __restrict__ hxo, float* __restrict__ hyo, int Y, int X) {
    __shared__ float e[SY][SX], a[SY][SX], b[SY][SX];
    int t = threadIdx.x, x0 = blockIdx.x * TX - 2, y0 = blockIdx.y * TY - 2;
    for (int i = t; i < SX * SY; i += 256) {
        int x = x0 + i % SX, y = y0 + i / SX;
        bool in = x >= 0 && x < X && y >= 0 && y < Y;
        (&e[0][0])[i] = in ? ez[y * X + x] : 0.f;
        (&a[0][0])[i] = in ? hx[y * X + x] : 0.f;
        (&b[0][0])[i] = in ? hy[y * X + x] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 2; s++) {
        for (int i = t; i < SX * SY; i += 256) {
            int lx = i % SX, ly = i / SX, x = x0 + lx, y = y0 + ly;
            if (ly < SY - 1 && y < Y - 1) a[ly][lx] -= 0.5f * (e[ly + 1][lx] - e[ly][lx]);
            if (lx < SX - 1 && x < X - 1) b[ly][lx] += 0.5f * (e[ly][lx + 1] - e[ly][lx]);
        }
        __syncthreads();
        for (int i = t; i < SX * SY; i += 256) {
            int lx = i % SX, ly = i / SX, x = x0 + lx, y = y0 + ly;
            if (lx > 0 && ly > 0 && x > 0 && y > 0) e[ly][lx] += 0.5f * (b[ly][lx] - b[ly][lx - 1] - a[ly][lx] + a[ly - 1][lx]);
        }
        __syncthreads();
    }
    for (int i = t; i < TX * TY; i += 256) {
        int lx = i % TX + 2, ly = i / TX + 2, x = x0 + lx, y = y0 + ly;
        if (x < X && y < Y) {
            eo[y * X + x] = e[ly][lx];
            hxo[y * X + x] = a[ly][lx];
            hyo[y * X + x] = b[ly][lx];
        }
    }
}
extern "C" void fdtd(const float* ez, const float* hx, const float* hy, float* out, int Y, int X, cudaStream_t stream) {
    dim3 grid((X + TX - 1) / TX, (Y + TY - 1) / TY);
    float *e, *h;
    cudaGetSymbolAddress((void**)&e, fd_e);
    cudaGetSymbolAddress((void**)&h, fd_h);
    const size_t n = 1000 * 1200;
    for (int s = 0; s < 4; s++) {
        float *to = s % 2 ? out : e, *hxo = h + s % 2 * 2 * n, *hyo = hxo + n;
        const float *from = s == 0 ? ez : s % 2 ? e : out, *hxi = s == 0 ? hx : h + (s + 1) % 2 * 2 * n, *hyi = s == 0 ? hy : hxi + n;
        fd_twice<<<grid, 256, 0, stream>>>(from, hxi, hyi, to, hxo, hyo, Y, X);
    }
}
