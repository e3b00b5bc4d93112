// kernelwright: task=../../tasks/lut_map.py entry=lut_map args="x, table, out, x.shape[0]"
// 528 blocks of 512 bring the table once, four values an access
#include <cuda_runtime.h>

__device__ float between(float x, const float* table) {
    float t = x * 1023.f;
    int i = min((int)t, 1022);
    float a = table[i], b = table[i + 1];
    return a + (b - a) * (t - i);
}
__global__ void lu_stride(const float4* x, const float* table, float4* out, int n4) {
    __shared__ float s[1024];
    for (int j = threadIdx.x; j < 1024; j += 512) s[j] = table[j];
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n4; i += gridDim.x * 512) {
        float4 v = x[i];
        out[i] = make_float4(between(v.x, s), between(v.y, s), between(v.z, s), between(v.w, s));
    }
}
extern "C" void lut_map(const float* x, const float* table, float* out, int n, cudaStream_t stream) {
    lu_stride<<<528, 512, 0, stream>>>((const float4*)x, table, (float4*)out, n / 4);
}
