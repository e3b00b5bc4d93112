// kernelwright: task=../../tasks/layernorm_backward.py entry=layernorm_backward args="dy, x, gamma, mean, rstd, out, x.shape[0], x.shape[1]"
// a block a row, the row read for the sums and again for the result
#include <cuda_bf16.h>

__global__ void lb_passes(const __nv_bfloat16* dy, const __nv_bfloat16* x, const float* gamma, const float* mean, const float* rstd, __nv_bfloat16* out, int cols) {
    __shared__ float s1[256], s2[256];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * cols;
    float m = mean[blockIdx.x], r = rstd[blockIdx.x], a = 0.f, b = 0.f;
    for (int c = t; c < cols; c += 256) {
        float g = __bfloat162float(dy[row + c]) * gamma[c], hat = (__bfloat162float(x[row + c]) - m) * r;
        a += g;
        b += g * hat;
    }
    s1[t] = a;
    s2[t] = b;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (t < o) {
            s1[t] += s1[t + o];
            s2[t] += s2[t + o];
        }
        __syncthreads();
    }
    a = s1[0] / cols;
    b = s2[0] / cols;
    for (int c = t; c < cols; c += 256) {
        float g = __bfloat162float(dy[row + c]) * gamma[c], hat = (__bfloat162float(x[row + c]) - m) * r;
        out[row + c] = __float2bfloat16(r * (g - a - hat * b));
    }
}
extern "C" void layernorm_backward(const __nv_bfloat16* dy, const __nv_bfloat16* x, const float* gamma, const float* mean, const float* rstd, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
    lb_passes<<<rows, 256, 0, stream>>>(dy, x, gamma, mean, rstd, out, cols);
}
