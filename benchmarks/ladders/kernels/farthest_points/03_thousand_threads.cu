// kernelwright: task=../../tasks/farthest_points.py entry=farthest args="p, out, p.shape[0], out.shape[1]"
// 1024 threads with four points each; warps reduced by redux
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) f3_sample(const int* __restrict__ p, int* __restrict__ out, int samples) {
    __shared__ unsigned best[32], winner;
    const int* q = p + blockIdx.x * 4096 * 3;
    int t = threadIdx.x, at = 0, px[4], py[4], pz[4], far[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = k * 1024 + t;
        px[k] = q[i * 3];
        py[k] = q[i * 3 + 1];
        pz[k] = q[i * 3 + 2];
        far[k] = 0xfffff;
    }
    for (int s = 0;; ++s) {
        if (t == 0) out[blockIdx.x * samples + s] = at;
        if (s == samples - 1) break;
        int cx = q[at * 3], cy = q[at * 3 + 1], cz = q[at * 3 + 2];
        unsigned mine = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            int x = px[k] - cx, y = py[k] - cy, z = pz[k] - cz;
            far[k] = min(far[k], x * x + y * y + z * z);
            mine = max(mine, (unsigned)far[k] * 4096u + 4095u - (k * 1024 + t));
        }
        mine = __reduce_max_sync(~0u, mine);
        if (t % 32 == 0) best[t / 32] = mine;
        __syncthreads();
        if (t < 32) {
            mine = __reduce_max_sync(~0u, best[t]);
            if (t == 0) winner = mine;
        }
        __syncthreads();
        at = 4095 - winner % 4096;
    }
}
extern "C" void farthest(const int* p, int* out, int clouds, int samples, cudaStream_t stream) {
    f3_sample<<<clouds, 1024, 0, stream>>>(p, out, samples);
}
