// kernelwright: task=../../tasks/acoustic8.py entry=acoustic args="u, before, v, out, u.shape[0], u.shape[1], u.shape[2]"
// blocks march through 32 planes, the nine values along z in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) a3_march(const float* __restrict__ u, const float* __restrict__ before, const float* __restrict__ v, float* __restrict__ out, int nz, int ny, int nx) {
    __shared__ float s[24][40];
    const float c[5] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty, plane = ny * nx, at = y * nx + x;
    int z0 = blockIdx.z * 32, z1 = min(z0 + 32, nz);
    bool inside = x >= 4 && y >= 4 && x < nx - 4 && y < ny - 4;
    auto load = [&](int z, int dy, int dx) {
        return z >= 0 && z < nz && x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny ? u[z * plane + at + dy * nx + dx] : 0.f;
    };
    float q[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) q[k] = load(z0 - 4 + k, 0, 0);
    for (int z = z0; z < z1; ++z) {
        s[ty + 4][tx + 4] = q[4];
        if (tx < 4) s[ty + 4][tx] = load(z, 0, -4);
        if (tx >= 28) s[ty + 4][tx + 8] = load(z, 0, 4);
        if (ty < 4) s[ty][tx + 4] = load(z, -4, 0);
        if (ty >= 12) s[ty + 8][tx + 4] = load(z, 4, 0);
        float next = load(z + 5, 0, 0);
        __syncthreads();
        float r = 0.f;
        if (inside && z >= 4 && z < nz - 4) {
            float lap = 3 * c[0] * q[4];
#pragma unroll
            for (int k = 1; k <= 4; ++k)
                lap += c[k] * (s[ty + 4][tx + 4 - k] + s[ty + 4][tx + 4 + k] + s[ty + 4 - k][tx + 4] + s[ty + 4 + k][tx + 4] + q[4 - k] + q[4 + k]);
            r = 2 * q[4] - before[z * plane + at] + v[z * plane + at] * lap;
        }
        if (x < nx && y < ny) out[z * plane + at] = r;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) q[k] = q[k + 1];
        q[8] = next;
    }
}
extern "C" void acoustic(const float* u, const float* before, const float* v, float* out, int nz, int ny, int nx, cudaStream_t stream) {
    a3_march<<<dim3((nx + 31) / 32, (ny + 15) / 16, (nz + 31) / 32), dim3(32, 16), 0, stream>>>(u, before, v, out, nz, ny, nx);
}
