// kernelwright: task=../../tasks/quantise_rows.py entry=quantise_rows args="x, out, x.shape[0], x.shape[1]"
// a thread a row
#include <cuda_runtime.h>

__global__ void qr_thread(const float* x, signed char* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float m = 0.f;
    for (int i = 0; i < d; ++i) m = fmaxf(m, fabsf(x[(size_t)r * d + i]));
    for (int i = 0; i < d; ++i) out[(size_t)r * d + i] = (signed char)rintf(x[(size_t)r * d + i] / m * 127.f);
}
extern "C" void quantise_rows(const float* x, signed char* out, int rows, int d, cudaStream_t stream) {
    qr_thread<<<(rows + 63) / 64, 64, 0, stream>>>(x, out, rows, d);
}
