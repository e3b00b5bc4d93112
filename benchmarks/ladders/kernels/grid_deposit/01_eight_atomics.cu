// kernelwright: task=../../tasks/grid_deposit.py entry=deposit args="p, out, p.shape[0]"
// a thread a particle, eight atomics each
#include <cuda_runtime.h>

__global__ void g1_spread(const float* p, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i * 3], y = p[i * 3 + 1], z = p[i * 3 + 2];
    int cx = (int)x, cy = (int)y, cz = (int)z;
    float fx = x - cx, fy = y - cy, fz = z - cz;
    for (int c = 0; c < 8; ++c) {
        int dx = c >> 2, dy = c >> 1 & 1, dz = c & 1;
        float w = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy) * (dz ? fz : 1 - fz);
        atomicAdd(&out[((cx + dx) % 64 * 64 + (cy + dy) % 64) * 64 + (cz + dz) % 64], w);
    }
}
extern "C" void deposit(const float* p, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 64 * 64 * 64 * 4, stream);
    g1_spread<<<(n + 255) / 256, 256, 0, stream>>>(p, out, n);
}
