// kernelwright: task=../../tasks/redblack_double.py entry=redblack args="u, f, out, u.shape[0], 10"
// both colours of a sweep in one launch: tiles of 32 x 32 with a halo of two, two buffers
#include <cuda_runtime.h>

__device__ double rb_other[2048 * 2048];

__global__ void __launch_bounds__(256) rb_tile(const double* __restrict__ from, const double* __restrict__ f, double* __restrict__ to, int n) {
    __shared__ double s[36][37];
    int t = threadIdx.x, x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 32 - 2;
    for (int i = t; i < 36 * 36; i += 256) {
        int y = y0 + i / 36, x = x0 + i % 36;
        s[i / 36][i % 36] = x >= 0 && y >= 0 && x < n && y < n ? from[(size_t)y * n + x] : 0.0;
    }
    __syncthreads();
    for (int i = t; i < 34 * 17; i += 256) {
        int ly = 1 + i / 17, lx = 1 + i % 17 * 2;
        lx += (lx + ly + x0 + y0) & 1;
        int y = y0 + ly, x = x0 + lx;
        if (x >= 1 && y >= 1 && x < n - 1 && y < n - 1)
            s[ly][lx] = 0.25 * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] + s[ly][lx + 1] - f[(size_t)y * n + x]);
    }
    __syncthreads();
    for (int i = t; i < 1024; i += 256) {
        int ly = 2 + i / 32, lx = 2 + i % 32, y = y0 + ly, x = x0 + lx;
        double v = s[ly][lx];
        if (((x + y) & 1) && x >= 1 && y >= 1 && x < n - 1 && y < n - 1)
            v = 0.25 * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] + s[ly][lx + 1] - f[(size_t)y * n + x]);
        to[(size_t)y * n + x] = v;
    }
}
extern "C" void redblack(const double* u, const double* f, double* out, int n, int sweeps, cudaStream_t stream) {
    static double* other = nullptr;
    if (!other) cudaGetSymbolAddress((void**)&other, rb_other);
    const double* from = u;
    for (int s = 0; s < sweeps; ++s) {
        double* to = (sweeps - s) % 2 ? out : other;
        rb_tile<<<dim3(n / 32, n / 32), 256, 0, stream>>>(from, f, to, n);
        from = to;
    }
}
