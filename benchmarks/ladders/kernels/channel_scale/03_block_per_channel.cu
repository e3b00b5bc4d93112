// kernelwright: task=../../tasks/channel_scale.py entry=channel_scale args="x, mean, var, weight, bias, out, x.shape[0], x.shape[1], x.shape[2]"
// a block of 256 a channel of all images: too few blocks
#include <cuda_runtime.h>

__global__ void cs_channel(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int images, int c, int hw) {
    int k = blockIdx.x;
    float a = weight[k] * rsqrtf(var[k] + 1e-5f), b = bias[k] - mean[k] * a;
    for (int j = 0; j < images; ++j) {
        size_t base = ((size_t)j * c + k) * hw;
        for (int i = threadIdx.x; i < hw; i += blockDim.x) out[base + i] = fmaxf(0.f, x[base + i] * a + b);
    }
}
extern "C" void channel_scale(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int b, int c, int hw, cudaStream_t stream) {
    cs_channel<<<c, 256, 0, stream>>>(x, mean, var, weight, bias, out, b, c, hw);
}
