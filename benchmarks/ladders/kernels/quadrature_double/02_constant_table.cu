// kernelwright: task=../../tasks/quadrature_double.py entry=quadrature args="low, high, b, out, low.shape[0]"
// the tables in constant memory
#include <cuda_runtime.h>

__constant__ double qd_nodes[8] = {0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438, 0.755404408355003, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499};
__constant__ double qd_weights[8] = {0.18945061045506864, 0.18260341504492364, 0.16915651939500265, 0.1495959888165767, 0.12462897125553407, 0.0951585116824926, 0.062253523938647456, 0.027152459411754176};

__global__ void qd_constant(const double* __restrict__ low, const double* __restrict__ high, const double* __restrict__ b, double* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double mid = 0.5 * (low[i] + high[i]), half = 0.5 * (high[i] - low[i]), k = b[i], total = 0.0;
    for (int p = 0; p < 8; p++) {
        double d = qd_nodes[p] * half, x = mid + d, y = mid - d;
        total += qd_weights[p] * (exp(-x * x) * cos(k * x) + exp(-y * y) * cos(k * y));
    }
    out[i] = total * half;
}
extern "C" void quadrature(const double* low, const double* high, const double* b, double* out, int n, cudaStream_t stream) {
    qd_constant<<<(n + 255) / 256, 256, 0, stream>>>(low, high, b, out, n);
}
