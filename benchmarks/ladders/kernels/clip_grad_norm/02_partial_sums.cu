// kernelwright: task=../../tasks/clip_grad_norm.py entry=clip_norm args="g, out, g.shape[0]"
// float4 in strides, a sum a block, a launch that adds them, then the scaling
#include <cuda_runtime.h>

__device__ float cn_part[528], cn_factor;

__device__ __forceinline__ float cn_block(float s) {
    __shared__ float w[8];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.f;
    for (int i = 0; i < 8; ++i) s += w[i];
    return s;
}
__global__ void __launch_bounds__(256) cn_parts(const float4* __restrict__ g, int n4) {
    float s = 0.f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
        float4 v = g[i];
        s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    s = cn_block(s);
    if (threadIdx.x == 0) cn_part[blockIdx.x] = s;
}
__global__ void __launch_bounds__(256) cn_finish(int parts) {
    float s = 0.f;
    for (int i = threadIdx.x; i < parts; i += 256) s += cn_part[i];
    s = cn_block(s);
    if (threadIdx.x == 0) cn_factor = fminf(1.f, 1.f / (sqrtf(s) + 1e-6f));
}
__global__ void __launch_bounds__(256) cn_scale4(const float4* __restrict__ g, float4* __restrict__ out, int n4) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    float4 v = g[i];
    float f = cn_factor;
    out[i] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
}
extern "C" void clip_norm(const float* g, float* out, int n, cudaStream_t stream) {
    cn_parts<<<528, 256, 0, stream>>>((const float4*)g, n / 4);
    cn_finish<<<1, 256, 0, stream>>>(528);
    cn_scale4<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)g, (float4*)out, n / 4);
}
