// kernelwright: task=../../tasks/dtw_rows.py entry=dtw args="x, y, out, x.shape[0]"
// a block a pair, a thread a column, a barrier after each of 255 diagonals
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) dt_block(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out) {
    __shared__ float xs[128], cell[2][129];
    int j = threadIdx.x;
    xs[j] = x[(size_t)blockIdx.x * 128 + j];
    float v = y[(size_t)blockIdx.x * 128 + j], up = INFINITY, diagonal = j ? INFINITY : 0.f;
    cell[0][j + 1] = cell[1][j + 1] = INFINITY;
    if (j == 0) cell[0][0] = cell[1][0] = INFINITY;
    __syncthreads();
    for (int s = 0; s < 255; ++s) {
        int i = s - j;
        if (i >= 0 && i < 128) {
            float left = cell[s & 1][j];
            up = fabsf(xs[i] - v) + fminf(fminf(up, left), diagonal);
            diagonal = left;
            cell[(s & 1) ^ 1][j + 1] = up;
        }
        __syncthreads();
    }
    if (j == 127) out[blockIdx.x] = up;
}
extern "C" void dtw(const float* x, const float* y, float* out, int pairs, cudaStream_t stream) {
    dt_block<<<pairs, 128, 0, stream>>>(x, y, out);
}
