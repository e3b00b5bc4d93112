// kernelwright: task=../../tasks/column_argmax.py entry=column_argmax args="x, out, x.shape[0], x.shape[1]"
// a thread a column: no more than sixteen blocks
#include <cuda_runtime.h>

__global__ void ca_thread(const float* x, int* out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float best = x[c];
    int at = 0;
    for (int r = 1; r < rows; ++r) {
        float v = x[(size_t)r * cols + c];
        if (v > best) {
            best = v;
            at = r;
        }
    }
    out[c] = at;
}
extern "C" void column_argmax(const float* x, int* out, int rows, int cols, cudaStream_t stream) {
    ca_thread<<<(cols + 127) / 128, 128, 0, stream>>>(x, out, rows, cols);
}
