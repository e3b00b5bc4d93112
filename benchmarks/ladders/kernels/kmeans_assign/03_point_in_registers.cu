// kernelwright: task=../../tasks/kmeans_assign.py entry=assign args="x, c, out, x.shape[0], c.shape[0]"
// a thread a point of 32 registers, centres in shared memory, four floats a load
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) km_registers(const float4* __restrict__ x, const float4* __restrict__ c, int* __restrict__ out, int k) {
    __shared__ float4 s[128 * 8];
    for (int i = threadIdx.x; i < k * 8; i += 128) s[i] = c[i];
    int p = blockIdx.x * 128 + threadIdx.x;
    float4 v[8];
#pragma unroll
    for (int q = 0; q < 8; ++q) v[q] = x[p * 8 + q];
    __syncthreads();
    float best = INFINITY;
    int at = 0;
    for (int j = 0; j < k; ++j) {
        float d = 0.f;
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            float4 u = s[j * 8 + q];
            d += (v[q].x - u.x) * (v[q].x - u.x) + (v[q].y - u.y) * (v[q].y - u.y) + (v[q].z - u.z) * (v[q].z - u.z) + (v[q].w - u.w) * (v[q].w - u.w);
        }
        if (d < best) {
            best = d;
            at = j;
        }
    }
    out[p] = at;
}
extern "C" void assign(const float* x, const float* c, int* out, int n, int k, cudaStream_t stream) {
    km_registers<<<n / 128, 128, 0, stream>>>((const float4*)x, (const float4*)c, out, k);
}
