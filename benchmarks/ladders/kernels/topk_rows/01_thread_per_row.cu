// kernelwright: task=../../tasks/topk_rows.py entry=topk_rows args="x, out, x.shape[0], x.shape[1]"
// a thread a row, an ordered list of eight in registers
#include <cuda_runtime.h>

__global__ void tk_thread(const float* x, float* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) best[k] = -INFINITY;
    for (int i = 0; i < d; ++i) {
        float v = x[(size_t)r * d + i];
        if (v > best[7]) {
            best[7] = v;
#pragma unroll
            for (int k = 7; k > 0; --k)
                if (best[k] > best[k - 1]) { float t = best[k]; best[k] = best[k - 1]; best[k - 1] = t; }
        }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) out[r * 8 + k] = best[k];
}
extern "C" void topk_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    tk_thread<<<(rows + 127) / 128, 128, 0, stream>>>(x, out, rows, d);
}
