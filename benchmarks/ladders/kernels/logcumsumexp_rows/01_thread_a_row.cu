// kernelwright: task=../../tasks/logcumsumexp_rows.py entry=logcumsumexp args="x, out, x.shape[0], x.shape[1]"
// a thread walks a row: a chain of exponentials and logarithms
#include <cuda_runtime.h>
#include <math.h>

__global__ void lc_thread(const float* x, float* out, int rows, int D) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float m = -INFINITY, s = 0.f;
    for (int i = 0; i < D; i++) {
        float v = x[(size_t)r * D + i];
        if (v > m) {
            s = s * expf(m - v) + 1.f;
            m = v;
        } else {
            s += expf(v - m);
        }
        out[(size_t)r * D + i] = m + logf(s);
    }
}
extern "C" void logcumsumexp(const float* x, float* out, int rows, int D, cudaStream_t stream) {
    lc_thread<<<(rows + 31) / 32, 32, 0, stream>>>(x, out, rows, D);
}
