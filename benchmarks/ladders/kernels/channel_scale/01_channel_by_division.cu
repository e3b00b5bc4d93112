// kernelwright: task=../../tasks/channel_scale.py entry=channel_scale args="x, mean, var, weight, bias, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an element, its channel by division, a root and a division for each
#include <cuda_runtime.h>

__global__ void cs_divide(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int c, int hw, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = i / hw % c;
    out[i] = fmaxf(0.f, (x[i] - mean[k]) / sqrtf(var[k] + 1e-5f) * weight[k] + bias[k]);
}
extern "C" void channel_scale(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int b, int c, int hw, cudaStream_t stream) {
    int n = b * c * hw;
    cs_divide<<<(n + 255) / 256, 256, 0, stream>>>(x, mean, var, weight, bias, out, c, hw, n);
}
