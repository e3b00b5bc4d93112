// kernelwright: task=../../tasks/acoustic8.py entry=acoustic args="u, before, v, out, u.shape[0], u.shape[1], u.shape[2]"
// a thread a point, 25 loads each
#include <cuda_runtime.h>

__global__ void a1_point(const float* u, const float* before, const float* v, float* out, int nz, int ny, int nx) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const float c[5] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    int plane = ny * nx, i = z * plane + y * nx + x;
    float r = 0.f;
    if (x >= 4 && y >= 4 && z >= 4 && x < nx - 4 && y < ny - 4 && z < nz - 4) {
        float lap = 3 * c[0] * u[i];
        for (int k = 1; k <= 4; ++k) lap += c[k] * (u[i - k] + u[i + k] + u[i - k * nx] + u[i + k * nx] + u[i - k * plane] + u[i + k * plane]);
        r = 2 * u[i] - before[i] + v[i] * lap;
    }
    out[i] = r;
}
extern "C" void acoustic(const float* u, const float* before, const float* v, float* out, int nz, int ny, int nx, cudaStream_t stream) {
    a1_point<<<dim3((nx + 31) / 32, (ny + 7) / 8, nz), dim3(32, 8), 0, stream>>>(u, before, v, out, nz, ny, nx);
}
