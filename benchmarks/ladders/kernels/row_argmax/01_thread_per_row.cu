// kernelwright: task=../../tasks/row_argmax.py entry=row_argmax args="x, out, x.shape[0], x.shape[1]"
// a thread a row
#include <cuda_runtime.h>

__global__ void am_thread(const float* x, int* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best = x[(size_t)r * d];
    int at = 0;
    for (int i = 1; i < d; ++i)
        if (x[(size_t)r * d + i] > best) { best = x[(size_t)r * d + i]; at = i; }
    out[r] = at;
}
extern "C" void row_argmax(const float* x, int* out, int rows, int d, cudaStream_t stream) {
    am_thread<<<(rows + 31) / 32, 32, 0, stream>>>(x, out, rows, d);
}
