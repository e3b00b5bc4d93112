// kernelwright: task=../../tasks/skinning.py entry=skinning args="pos, bone, weight, mats, out, pos.shape[0]"
// bones, weights and rows of matrices by 16 bytes each
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sk_vector(const float* __restrict__ pos, const int4* __restrict__ bone, const float4* __restrict__ weight, const float4* __restrict__ mats, float* __restrict__ out, int n) {
    int v = blockIdx.x * 256 + threadIdx.x;
    if (v >= n) return;
    int4 b = bone[v];
    float4 w = weight[v];
    float x = pos[v * 3], y = pos[v * 3 + 1], z = pos[v * 3 + 2];
    int at[4] = {b.x, b.y, b.z, b.w};
    float by[4] = {w.x, w.y, w.z, w.w}, s[3] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            float4 m = mats[at[k] * 3 + r];
            s[r] += by[k] * (m.x * x + m.y * y + m.z * z + m.w);
        }
#pragma unroll
    for (int r = 0; r < 3; ++r) out[v * 3 + r] = s[r];
}
extern "C" void skinning(const float* pos, const int* bone, const float* weight, const float* mats, float* out, int n, cudaStream_t stream) {
    sk_vector<<<(n + 255) / 256, 256, 0, stream>>>(pos, (const int4*)bone, (const float4*)weight, (const float4*)mats, out, n);
}
