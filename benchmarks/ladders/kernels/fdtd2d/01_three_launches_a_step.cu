// kernelwright: task=../../tasks/fdtd2d.py entry=fdtd args="ez, hx, hy, out, ez.shape[0], ez.shape[1]"
// copies, then for each step a launch for each field: 24 launches
#include <cuda_runtime.h>

__device__ float fd_hx[1000 * 1200], fd_hy[1000 * 1200];

__global__ void fd_copy(const float* hx, const float* hy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        fd_hx[i] = hx[i];
        fd_hy[i] = hy[i];
    }
}
__global__ void fd_step_hx(const float* ez, int Y, int X) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < X && y < Y - 1) fd_hx[y * X + x] -= 0.5f * (ez[(y + 1) * X + x] - ez[y * X + x]);
}
__global__ void fd_step_hy(const float* ez, int Y, int X) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < X - 1 && y < Y) fd_hy[y * X + x] += 0.5f * (ez[y * X + x + 1] - ez[y * X + x]);
}
__global__ void fd_step_ez(float* ez, int Y, int X) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < X && y < Y) {
        int i = y * X + x;
        ez[i] += 0.5f * (fd_hy[i] - fd_hy[i - 1] - fd_hx[i] + fd_hx[i - X]);
    }
}
extern "C" void fdtd(const float* ez, const float* hx, const float* hy, float* out, int Y, int X, cudaStream_t stream) {
    dim3 block(16, 16), grid((X + 15) / 16, (Y + 15) / 16);
    cudaMemcpyAsync(out, ez, (size_t)X * Y * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    fd_copy<<<(X * Y + 255) / 256, 256, 0, stream>>>(hx, hy, X * Y);
    for (int s = 0; s < 8; s++) {
        fd_step_hx<<<grid, block, 0, stream>>>(out, Y, X);
        fd_step_hy<<<grid, block, 0, stream>>>(out, Y, X);
        fd_step_ez<<<grid, block, 0, stream>>>(out, Y, X);
    }
}
