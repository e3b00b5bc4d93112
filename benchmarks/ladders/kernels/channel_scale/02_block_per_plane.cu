// kernelwright: task=../../tasks/channel_scale.py entry=channel_scale args="x, mean, var, weight, bias, out, x.shape[0], x.shape[1], x.shape[2]"
// a block of 256 a plane, factor and offset once for each thread
#include <cuda_runtime.h>

__global__ void cs_plane(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int c, int hw) {
    int k = blockIdx.x % c;
    float a = weight[k] * rsqrtf(var[k] + 1e-5f), b = bias[k] - mean[k] * a;
    size_t base = (size_t)blockIdx.x * hw;
    for (int i = threadIdx.x; i < hw; i += blockDim.x) out[base + i] = fmaxf(0.f, x[base + i] * a + b);
}
extern "C" void channel_scale(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int b, int c, int hw, cudaStream_t stream) {
    cs_plane<<<b * c, 256, 0, stream>>>(x, mean, var, weight, bias, out, c, hw);
}
