// kernelwright: task=../../tasks/lj_neighbours.py entry=lj args="p, near, out, p.shape[0]"
// a warp an atom, two neighbours a lane, sums by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) j2_warp(const double* __restrict__ p, const int* __restrict__ near, double* __restrict__ out, int n) {
    int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    double x = p[i * 3], y = p[i * 3 + 1], z = p[i * 3 + 2], fx = 0, fy = 0, fz = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        int j = near[i * 64 + k * 32 + lane];
        double dx = x - p[j * 3], dy = y - p[j * 3 + 1], dz = z - p[j * 3 + 2];
        double s = 1.0 / (dx * dx + dy * dy + dz * dz + 0.5), s3 = s * s * s, f = (48 * s3 - 24) * s3 * s;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
#pragma unroll
    for (int o = 16; o; o /= 2) {
        fx += __shfl_xor_sync(~0u, fx, o);
        fy += __shfl_xor_sync(~0u, fy, o);
        fz += __shfl_xor_sync(~0u, fz, o);
    }
    if (lane < 3) out[i * 3 + lane] = lane == 0 ? fx : lane == 1 ? fy : fz;
}
extern "C" void lj(const double* p, const int* near, double* out, int n, cudaStream_t stream) {
    j2_warp<<<(n + 7) / 8, 256, 0, stream>>>(p, near, out, n);
}
