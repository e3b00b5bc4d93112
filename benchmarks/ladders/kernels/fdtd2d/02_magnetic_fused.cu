// kernelwright: task=../../tasks/fdtd2d.py entry=fdtd args="ez, hx, hy, out, ez.shape[0], ez.shape[1]"
// both magnetic fields in one launch, the first step reads the inputs instead of copies; rows of 128 threads
#include <cuda_runtime.h>

__device__ float fd_hx[1000 * 1200], fd_hy[1000 * 1200];

__global__ void fd_magnetic(const float* __restrict__ ez, const float* hx, const float* hy, int Y, int X) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= X) return;
    int i = y * X + x;
    float e = ez[i], a = hx[i], b = hy[i];
    if (y < Y - 1) a -= 0.5f * (ez[i + X] - e);
    if (x < X - 1) b += 0.5f * (ez[i + 1] - e);
    fd_hx[i] = a;
    fd_hy[i] = b;
}
__global__ void fd_electric(const float* ez, float* out, int Y, int X) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= X) return;
    int i = y * X + x;
    float e = ez[i];
    if (x > 0 && y > 0) e += 0.5f * (fd_hy[i] - fd_hy[i - 1] - fd_hx[i] + fd_hx[i - X]);
    out[i] = e;
}
extern "C" void fdtd(const float* ez, const float* hx, const float* hy, float* out, int Y, int X, cudaStream_t stream) {
    dim3 grid((X + 127) / 128, Y);
    float *gx, *gy;
    cudaGetSymbolAddress((void**)&gx, fd_hx);
    cudaGetSymbolAddress((void**)&gy, fd_hy);
    for (int s = 0; s < 8; s++) {
        fd_magnetic<<<grid, 128, 0, stream>>>(s ? out : ez, s ? gx : hx, s ? gy : hy, Y, X);
        fd_electric<<<grid, 128, 0, stream>>>(s ? out : ez, out, Y, X);
    }
}
