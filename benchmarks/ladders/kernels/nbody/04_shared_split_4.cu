// kernelwright: task=../../tasks/nbody.py entry=nbody args="p, out, p.shape[0]"
// four threads share a body and add up at the end
#include <cuda_runtime.h>

__device__ __forceinline__ void attract(float4 a, float4 b, float3& f) {
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, i = rsqrtf(x * x + y * y + z * z + 0.01f), c = i * i * i;
    f.x += x * c; f.y += y * c; f.z += z * c;
}
__global__ void nb_split(const float4* p, float4* out, int n) {
    __shared__ float4 s[256];
    int t = threadIdx.x, i = blockIdx.x * 64 + t / 4;
    float4 a = p[i];
    float3 f = {0.f, 0.f, 0.f};
    for (int j0 = 0; j0 < n; j0 += 256) {
        s[t] = p[j0 + t];
        __syncthreads();
#pragma unroll 16
        for (int j = t % 4; j < 256; j += 4) attract(a, s[j], f);
        __syncthreads();
    }
    for (int o = 2; o; o /= 2) {
        f.x += __shfl_xor_sync(~0u, f.x, o);
        f.y += __shfl_xor_sync(~0u, f.y, o);
        f.z += __shfl_xor_sync(~0u, f.z, o);
    }
    if (t % 4 == 0) out[i] = make_float4(f.x, f.y, f.z, 0.f);
}
extern "C" void nbody(const float* p, float* out, int n, cudaStream_t stream) {
    nb_split<<<n / 64, 256, 0, stream>>>((const float4*)p, (float4*)out, n);
}
