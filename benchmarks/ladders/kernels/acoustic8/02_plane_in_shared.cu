// kernelwright: task=../../tasks/acoustic8.py entry=acoustic args="u, before, v, out, u.shape[0], u.shape[1], u.shape[2]"
// a tile of the plane with its halo in shared memory, the neighbours in z from global memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) a2_plane(const float* __restrict__ u, const float* __restrict__ before, const float* __restrict__ v, float* __restrict__ out, int nz, int ny, int nx) {
    __shared__ float s[24][40];
    const float c[5] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, z = blockIdx.z, plane = ny * nx;
    for (int i = ty * 32 + tx; i < 24 * 40; i += 512) {
        int y = y0 + i / 40 - 4, x = x0 + i % 40 - 4;
        s[i / 40][i % 40] = x >= 0 && y >= 0 && x < nx && y < ny ? u[z * plane + y * nx + x] : 0.f;
    }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty, i = z * plane + y * nx + x;
    if (x >= nx || y >= ny) return;
    float r = 0.f;
    if (x >= 4 && y >= 4 && z >= 4 && x < nx - 4 && y < ny - 4 && z < nz - 4) {
        float centre = s[ty + 4][tx + 4], lap = 3 * c[0] * centre;
#pragma unroll
        for (int k = 1; k <= 4; ++k)
            lap += c[k] * (s[ty + 4][tx + 4 - k] + s[ty + 4][tx + 4 + k] + s[ty + 4 - k][tx + 4] + s[ty + 4 + k][tx + 4] + u[i - k * plane] + u[i + k * plane]);
        r = 2 * centre - before[i] + v[i] * lap;
    }
    out[i] = r;
}
extern "C" void acoustic(const float* u, const float* before, const float* v, float* out, int nz, int ny, int nx, cudaStream_t stream) {
    a2_plane<<<dim3((nx + 31) / 32, (ny + 15) / 16, nz), dim3(32, 16), 0, stream>>>(u, before, v, out, nz, ny, nx);
}
