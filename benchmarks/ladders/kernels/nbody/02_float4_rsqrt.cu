// kernelwright: task=../../tasks/nbody.py entry=nbody args="p, out, p.shape[0]"
// a thread a body, float4 and rsqrtf
#include <cuda_runtime.h>

__device__ __forceinline__ void attract(float4 a, float4 b, float3& f) {
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, i = rsqrtf(x * x + y * y + z * z + 0.01f), c = i * i * i;
    f.x += x * c; f.y += y * c; f.z += z * c;
}
__global__ void nb_rsqrt(const float4* p, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = p[i];
    float3 f = {0.f, 0.f, 0.f};
    for (int j = 0; j < n; ++j) attract(a, p[j], f);
    out[i] = make_float4(f.x, f.y, f.z, 0.f);
}
extern "C" void nbody(const float* p, float* out, int n, cudaStream_t stream) {
    nb_rsqrt<<<(n + 255) / 256, 256, 0, stream>>>((const float4*)p, (float4*)out, n);
}
