// kernelwright: task=../../tasks/farthest_points.py entry=farthest args="p, out, p.shape[0], out.shape[1]"
// a block of 256 a cloud, distances in global memory, a tree in shared memory for the greatest
#include <cuda_runtime.h>

__device__ int f1_far[32 * 4096];

__global__ void f1_sample(const int* p, int* out, int samples) {
    __shared__ unsigned best[256];
    const int* q = p + blockIdx.x * 4096 * 3;
    int* far = f1_far + blockIdx.x * 4096;
    int t = threadIdx.x, at = 0;
    for (int i = t; i < 4096; i += 256) far[i] = 0xfffff;
    for (int s = 0;; ++s) {
        if (t == 0) out[blockIdx.x * samples + s] = at;
        if (s == samples - 1) break;
        unsigned mine = 0;
        for (int i = t; i < 4096; i += 256) {
            int x = q[i * 3] - q[at * 3], y = q[i * 3 + 1] - q[at * 3 + 1], z = q[i * 3 + 2] - q[at * 3 + 2];
            int d = min(far[i], x * x + y * y + z * z);
            far[i] = d;
            mine = max(mine, (unsigned)d * 4096u + 4095u - i);
        }
        best[t] = mine;
        __syncthreads();
        for (int h = 128; h; h /= 2) {
            if (t < h) best[t] = max(best[t], best[t + h]);
            __syncthreads();
        }
        at = 4095 - best[0] % 4096;
        __syncthreads();
    }
}
extern "C" void farthest(const int* p, int* out, int clouds, int samples, cudaStream_t stream) {
    f1_sample<<<clouds, 256, 0, stream>>>(p, out, samples);
}
