// kernelwright: task=../task.py entry=from_l2 args="x, out, x.shape[0]"
// every block reads the same 16 MB: more than an L1 holds, less than the L2
#include <cuda_runtime.h>

__global__ void st_l2(const float4* x, float4* out, int n, int part) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int round = 0; round < 24; ++round)
#pragma unroll 4
        for (int i = (t + round * 40000) % part; i < part; i += all) {
            float4 v = __ldcg(x + i);
            sum.x += v.x;
            sum.y += v.y;
            sum.z += v.z;
            sum.w += v.w;
        }
    bool odd = sum.x + sum.y + sum.z + sum.w > 1e30f;
    for (int i = t; i < n; i += all) out[i] = odd ? sum : x[i];
}
extern "C" void from_l2(const float* x, float* out, int n, cudaStream_t stream) {
    st_l2<<<1056, 256, 0, stream>>>((const float4*)x, (float4*)out, n / 4, n / 4 < 1048576 ? n / 4 : 1048576);
}
