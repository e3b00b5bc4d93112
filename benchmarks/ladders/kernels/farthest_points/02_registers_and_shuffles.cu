// kernelwright: task=../../tasks/farthest_points.py entry=farthest args="p, out, p.shape[0], out.shape[1]"
// points and distances in registers, sixteen a thread; the greatest by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) f2_sample(const int* __restrict__ p, int* __restrict__ out, int samples) {
    __shared__ unsigned best[8];
    const int* q = p + blockIdx.x * 4096 * 3;
    int t = threadIdx.x, at = 0, px[16], py[16], pz[16], far[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        int i = k * 256 + t;
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
        for (int k = 0; k < 16; ++k) {
            int x = px[k] - cx, y = py[k] - cy, z = pz[k] - cz;
            far[k] = min(far[k], x * x + y * y + z * z);
            mine = max(mine, (unsigned)far[k] * 4096u + 4095u - (k * 256 + t));
        }
#pragma unroll
        for (int o = 16; o; o /= 2) mine = max(mine, __shfl_xor_sync(~0u, mine, o));
        if (t % 32 == 0) best[t / 32] = mine;
        __syncthreads();
        mine = best[0];
        for (int w = 1; w < 8; ++w) mine = max(mine, best[w]);
        at = 4095 - mine % 4096;
        __syncthreads();
    }
}
extern "C" void farthest(const int* p, int* out, int clouds, int samples, cudaStream_t stream) {
    f2_sample<<<clouds, 256, 0, stream>>>(p, out, samples);
}
