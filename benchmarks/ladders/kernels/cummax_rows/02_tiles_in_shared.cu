// kernelwright: task=../../tasks/cummax_rows.py entry=cummax args="x, out, x.shape[0], x.shape[1]"
// a thread a row still, tiles of 32 x 32 go through padded shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) cm_tiles(const float* __restrict__ x, float* __restrict__ out, int d) {
    __shared__ float s[32][33];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 32 * d;
    float m = -INFINITY;
    for (int c = 0; c < d; c += 32) {
#pragma unroll
        for (int r = 0; r < 32; ++r) s[r][t] = x[base + (size_t)r * d + c + t];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            m = fmaxf(m, s[t][i]);
            s[t][i] = m;
        }
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 32; ++r) out[base + (size_t)r * d + c + t] = s[r][t];
        __syncwarp();
    }
}
extern "C" void cummax(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    cm_tiles<<<rows / 32, 32, 0, stream>>>(x, out, d);
}
