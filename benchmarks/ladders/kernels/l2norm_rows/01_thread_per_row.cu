// kernelwright: task=../../tasks/l2norm_rows.py entry=l2norm args="x, out, x.shape[0], x.shape[1]"
// a thread a row: neighbours read a row's length apart
#include <cuda_runtime.h>

__global__ void l2_thread(const float* x, float* out, int rows, int d) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int i = 0; i < d; ++i) s += x[(size_t)r * d + i] * x[(size_t)r * d + i];
    float n = fmaxf(sqrtf(s), 1e-12f);
    for (int i = 0; i < d; ++i) out[(size_t)r * d + i] = x[(size_t)r * d + i] / n;
}
extern "C" void l2norm(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    l2_thread<<<(rows + 63) / 64, 64, 0, stream>>>(x, out, rows, d);
}
