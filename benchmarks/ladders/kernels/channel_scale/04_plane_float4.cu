// kernelwright: task=../../tasks/channel_scale.py entry=channel_scale args="x, mean, var, weight, bias, out, x.shape[0], x.shape[1], x.shape[2]"
// a block of 256 a plane, float4
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cs_plane4(const float4* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ var,
                                                 const float* __restrict__ weight, const float* __restrict__ bias, float4* __restrict__ out, int c, int hw4) {
    int k = blockIdx.x % c;
    float a = weight[k] * rsqrtf(var[k] + 1e-5f), b = bias[k] - mean[k] * a;
    size_t base = (size_t)blockIdx.x * hw4;
    for (int i = threadIdx.x; i < hw4; i += 256) {
        float4 v = x[base + i];
        out[base + i] = make_float4(fmaxf(0.f, v.x * a + b), fmaxf(0.f, v.y * a + b), fmaxf(0.f, v.z * a + b), fmaxf(0.f, v.w * a + b));
    }
}
extern "C" void channel_scale(const float* x, const float* mean, const float* var, const float* weight, const float* bias, float* out, int b, int c, int hw, cudaStream_t stream) {
    cs_plane4<<<b * c, 256, 0, stream>>>((const float4*)x, mean, var, weight, bias, (float4*)out, c, hw / 4);
}
