// kernelwright: task=../../tasks/farthest_points.py entry=farthest args="p, out, p.shape[0], out.shape[1]"
// 512 threads; every warp reduces the warps' results itself, from one of two buffers: one barrier a sample; the cloud in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) f4_sample(const int* __restrict__ p, int* __restrict__ out, int samples) {
    extern __shared__ int cloud[];
    __shared__ unsigned best[2][16];
    const int* q = p + blockIdx.x * 4096 * 3;
    int t = threadIdx.x, at = 0, px[8], py[8], pz[8], far[8];
    for (int i = t; i < 4096 * 3; i += 512) cloud[i] = q[i];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = k * 512 + t;
        px[k] = cloud[i * 3];
        py[k] = cloud[i * 3 + 1];
        pz[k] = cloud[i * 3 + 2];
        far[k] = 0xfffff;
    }
    for (int s = 0;; ++s) {
        if (t == 0) out[blockIdx.x * samples + s] = at;
        if (s == samples - 1) break;
        int cx = cloud[at * 3], cy = cloud[at * 3 + 1], cz = cloud[at * 3 + 2];
        unsigned mine = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            int x = px[k] - cx, y = py[k] - cy, z = pz[k] - cz;
            far[k] = min(far[k], x * x + y * y + z * z);
            mine = max(mine, (unsigned)far[k] * 4096u + 4095u - (k * 512 + t));
        }
        mine = __reduce_max_sync(~0u, mine);
        if (t % 32 == 0) best[s % 2][t / 32] = mine;
        __syncthreads();
        at = 4095 - __reduce_max_sync(~0u, best[s % 2][t % 16]) % 4096;
    }
}
extern "C" void farthest(const int* p, int* out, int clouds, int samples, cudaStream_t stream) {
    cudaFuncSetAttribute(f4_sample, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096 * 12);
    f4_sample<<<clouds, 512, 4096 * 12, stream>>>(p, out, samples);
}
