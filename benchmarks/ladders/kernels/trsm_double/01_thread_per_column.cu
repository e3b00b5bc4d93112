// kernelwright: task=../../tasks/trsm_double.py entry=trsm args="lower, b, out, b.shape[0], b.shape[1]"
// a thread a right-hand side, all from global memory
#include <cuda_runtime.h>

__global__ void ts_thread(const double* l, const double* b, double* out, int n, int m) {
    int c = blockIdx.x * 64 + threadIdx.x;
    if (c >= m) return;
    for (int i = 0; i < n; ++i) {
        double s = b[i * m + c];
        for (int k = 0; k < i; ++k) s -= l[i * n + k] * out[k * m + c];
        out[i * m + c] = s / l[i * n + i];
    }
}
extern "C" void trsm(const double* l, const double* b, double* out, int n, int m, cudaStream_t stream) {
    ts_thread<<<(m + 63) / 64, 64, 0, stream>>>(l, b, out, n, m);
}
