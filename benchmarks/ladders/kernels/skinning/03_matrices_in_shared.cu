// kernelwright: task=../../tasks/skinning.py entry=skinning args="pos, bone, weight, mats, out, pos.shape[0]"
// matrices in shared memory, positions and results passed through it for full rows of 16 bytes; blocks walk on
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sk_shared(const float4* __restrict__ pos, const int4* __restrict__ bone, const float4* __restrict__ weight, const float4* __restrict__ mats, float4* __restrict__ out, int n) {
    __shared__ float4 m[384];
    __shared__ __align__(16) float p[768];
    int t = threadIdx.x;
    for (int i = t; i < 384; i += 256) m[i] = mats[i];
    for (int v0 = blockIdx.x * 256; v0 < n; v0 += gridDim.x * 256) {
        int4 b = bone[v0 + t];
        float4 w = weight[v0 + t];
        if (t < 192) ((float4*)p)[t] = pos[v0 / 4 * 3 + t];
        __syncthreads();
        float x = p[t * 3], y = p[t * 3 + 1], z = p[t * 3 + 2], s[3];
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            float4 m0 = m[b.x * 3 + r], m1 = m[b.y * 3 + r], m2 = m[b.z * 3 + r], m3 = m[b.w * 3 + r];
            s[r] = (w.x * m0.x + w.y * m1.x + w.z * m2.x + w.w * m3.x) * x + (w.x * m0.y + w.y * m1.y + w.z * m2.y + w.w * m3.y) * y +
                   (w.x * m0.z + w.y * m1.z + w.z * m2.z + w.w * m3.z) * z + (w.x * m0.w + w.y * m1.w + w.z * m2.w + w.w * m3.w);
        }
#pragma unroll
        for (int r = 0; r < 3; ++r) p[t * 3 + r] = s[r];
        __syncthreads();
        if (t < 192) out[v0 / 4 * 3 + t] = ((float4*)p)[t];
        __syncthreads();
    }
}
extern "C" void skinning(const float* pos, const int* bone, const float* weight, const float* mats, float* out, int n, cudaStream_t stream) {
    sk_shared<<<792, 256, 0, stream>>>((const float4*)pos, (const int4*)bone, (const float4*)weight, (const float4*)mats, (float4*)out, n);
}
