// kernelwright: task=../../tasks/layernorm_weight_grad.py entry=weight_grad args="dy, x, mean, rstd, out, x.shape[0], x.shape[1]"
// a thread a column walks all rows
#include <cuda_fp16.h>

__global__ void lw_column(const __half* dy, const __half* x, const float* mean, const float* rstd, float* out, int r, int d) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= d) return;
    float w = 0.0f, b = 0.0f;
    for (int i = 0; i < r; ++i) {
        float g = __half2float(dy[(size_t)i * d + c]);
        w += g * (__half2float(x[(size_t)i * d + c]) - mean[i]) * rstd[i];
        b += g;
    }
    out[c] = w;
    out[d + c] = b;
}
extern "C" void weight_grad(const __half* dy, const __half* x, const float* mean, const float* rstd, float* out, int r, int d, cudaStream_t stream) {
    lw_column<<<(d + 127) / 128, 128, 0, stream>>>(dy, x, mean, rstd, out, r, d);
}
