// kernelwright: task=../../tasks/column_argmax.py entry=column_argmax args="x, out, x.shape[0], x.shape[1]"
// a block of 32 x 32 threads for 32 columns, halved in shared memory
#include <cuda_runtime.h>

__global__ void ca_block(const float* x, int* out, int rows, int cols) {
    __shared__ float best[32][32];
    __shared__ int at[32][32];
    int j = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 32 + j;
    float v = -1e30f;
    int a = 0;
    if (c < cols)
        for (int r = y; r < rows; r += 32) {
            float w = x[(size_t)r * cols + c];
            if (w > v) {
                v = w;
                a = r;
            }
        }
    best[y][j] = v;
    at[y][j] = a;
    __syncthreads();
    for (int s = 16; s; s /= 2) {
        if (y < s) {
            float w = best[y + s][j];
            int b = at[y + s][j];
            if (w > best[y][j] || (w == best[y][j] && b < at[y][j])) {
                best[y][j] = w;
                at[y][j] = b;
            }
        }
        __syncthreads();
    }
    if (y == 0 && c < cols) out[c] = at[0][j];
}
extern "C" void column_argmax(const float* x, int* out, int rows, int cols, cudaStream_t stream) {
    ca_block<<<(cols + 31) / 32, dim3(32, 32), 0, stream>>>(x, out, rows, cols);
}
