// kernelwright: task=../../tasks/grid_deposit.py entry=deposit args="p, out, p.shape[0]"
// eight lanes a particle, a corner each: neighbouring lanes meet in one sector
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) g2_lanes(const float* __restrict__ p, float* __restrict__ out, int n) {
    int i = (blockIdx.x * 256 + threadIdx.x) / 8, c = threadIdx.x % 8, dx = c >> 2, dy = c >> 1 & 1, dz = c & 1;
    if (i >= n) return;
    float x = p[i * 3], y = p[i * 3 + 1], z = p[i * 3 + 2];
    int cx = (int)x, cy = (int)y, cz = (int)z;
    float fx = x - cx, fy = y - cy, fz = z - cz;
    float w = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy) * (dz ? fz : 1 - fz);
    atomicAdd(&out[(((cx + dx) & 63) * 64 + ((cy + dy) & 63)) * 64 + ((cz + dz) & 63)], w);
}
extern "C" void deposit(const float* p, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 64 * 64 * 64 * 4, stream);
    g2_lanes<<<(n * 8 + 255) / 256, 256, 0, stream>>>(p, out, n);
}
