// kernelwright: task=../../tasks/nbody.py entry=nbody args="p, out, p.shape[0]"
// 128 bodies at a time in shared memory
#include <cuda_runtime.h>

__device__ __forceinline__ void attract(float4 a, float4 b, float3& f) {
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, i = rsqrtf(x * x + y * y + z * z + 0.01f), c = i * i * i;
    f.x += x * c; f.y += y * c; f.z += z * c;
}
__global__ void nb_tile(const float4* p, float4* out, int n) {
    __shared__ float4 s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 a = p[i];
    float3 f = {0.f, 0.f, 0.f};
    for (int j0 = 0; j0 < n; j0 += 128) {
        s[threadIdx.x] = p[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < 128; ++j) attract(a, s[j], f);
        __syncthreads();
    }
    out[i] = make_float4(f.x, f.y, f.z, 0.f);
}
extern "C" void nbody(const float* p, float* out, int n, cudaStream_t stream) {
    nb_tile<<<n / 128, 128, 0, stream>>>((const float4*)p, (float4*)out, n);
}
