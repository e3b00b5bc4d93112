// kernelwright: task=../../tasks/cholesky_double.py entry=cholesky_double args="a, out, a.shape[0]"
// a thread a matrix, in global memory
#include <cuda_runtime.h>

__global__ void ch_thread(const double* a, double* out, int count) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    const double* from = a + m * 256;
    double* low = out + m * 256;
    for (int j = 0; j < 16; ++j) {
        for (int i = 0; i < j; ++i) low[i * 16 + j] = 0.0;
        double pivot = 0.0;
        for (int i = j; i < 16; ++i) {
            double s = from[i * 16 + j];
            for (int k = 0; k < j; ++k) s -= low[i * 16 + k] * low[j * 16 + k];
            if (i == j) pivot = sqrt(s);
            low[i * 16 + j] = s / pivot;
        }
        low[j * 16 + j] = pivot;
    }
}
extern "C" void cholesky_double(const double* a, double* out, int count, cudaStream_t stream) {
    ch_thread<<<(count + 63) / 64, 64, 0, stream>>>(a, out, count);
}
