// kernelwright: task=../../tasks/quadrature_double.py entry=quadrature args="low, high, b, out, low.shape[0]"
// eight lanes an interval, each with its own node in registers, joined by shuffles
#include <cuda_runtime.h>

__constant__ double qd_nodes[8] = {0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438, 0.755404408355003, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499};
__constant__ double qd_weights[8] = {0.18945061045506864, 0.18260341504492364, 0.16915651939500265, 0.1495959888165767, 0.12462897125553407, 0.0951585116824926, 0.062253523938647456, 0.027152459411754176};

__global__ void qd_lanes(const double* __restrict__ low, const double* __restrict__ high, const double* __restrict__ b, double* __restrict__ out, int n) {
    int p = threadIdx.x % 8;
    double node = qd_nodes[p], weight = qd_weights[p];
    for (int base = blockIdx.x * (blockDim.x / 8); base < n; base += gridDim.x * (blockDim.x / 8)) {
        int i = base + threadIdx.x / 8;
        double total = 0.0, half = 0.0;
        if (i < n) {
            double l = low[i], h = high[i], k = b[i], mid = 0.5 * (l + h);
            half = 0.5 * (h - l);
            double d = node * half, x = mid + d, y = mid - d;
            total = weight * (exp(-x * x) * cos(k * x) + exp(-y * y) * cos(k * y));
        }
        total += __shfl_xor_sync(0xffffffffu, total, 4);
        total += __shfl_xor_sync(0xffffffffu, total, 2);
        total += __shfl_xor_sync(0xffffffffu, total, 1);
        if (p == 0 && i < n) out[i] = total * half;
    }
}
extern "C" void quadrature(const double* low, const double* high, const double* b, double* out, int n, cudaStream_t stream) {
    qd_lanes<<<1056, 256, 0, stream>>>(low, high, b, out, n);
}
