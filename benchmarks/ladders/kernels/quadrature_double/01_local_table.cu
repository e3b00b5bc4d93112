// kernelwright: task=../../tasks/quadrature_double.py entry=quadrature args="low, high, b, out, low.shape[0]"
// the tables are arrays of the thread, indexed by a loop that is kept: local memory
#include <cuda_runtime.h>

__global__ void qd_local(const double* low, const double* high, const double* b, double* out, int n) {
    const double nodes[8] = {0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438, 0.755404408355003, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499};
    const double weights[8] = {0.18945061045506864, 0.18260341504492364, 0.16915651939500265, 0.1495959888165767, 0.12462897125553407, 0.0951585116824926, 0.062253523938647456, 0.027152459411754176};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double mid = 0.5 * (low[i] + high[i]), half = 0.5 * (high[i] - low[i]), k = b[i], total = 0.0;
#pragma unroll 1
    for (int p = 0; p < 16; p++) {
        double x = mid + (p & 1 ? -half : half) * nodes[p >> 1];
        total += weights[p >> 1] * exp(-x * x) * cos(k * x);
    }
    out[i] = total * half;
}
extern "C" void quadrature(const double* low, const double* high, const double* b, double* out, int n, cudaStream_t stream) {
    qd_local<<<(n + 255) / 256, 256, 0, stream>>>(low, high, b, out, n);
}
