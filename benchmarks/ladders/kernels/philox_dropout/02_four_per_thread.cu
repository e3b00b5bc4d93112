// kernelwright: task=../../tasks/philox_dropout.py entry=philox_dropout args="x, out, x.shape[0]"
// a thread four elements
#include <cuda_runtime.h>

__device__ __forceinline__ uint4 philox(unsigned n) {
    uint4 c = make_uint4(n, 0, 0, 0);
    unsigned k0 = 20240607u, k1 = 0;
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        unsigned h0 = __umulhi(c.x, 0xD2511F53u), l0 = c.x * 0xD2511F53u, h1 = __umulhi(c.z, 0xCD9E8D57u), l1 = c.z * 0xCD9E8D57u;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}
__global__ void pd_four(const float4* x, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 r = philox(i);
    float4 v = x[i];
    v.x = r.x >= 0x80000000u ? 2.f * v.x : 0.f;
    v.y = r.y >= 0x80000000u ? 2.f * v.y : 0.f;
    v.z = r.z >= 0x80000000u ? 2.f * v.z : 0.f;
    v.w = r.w >= 0x80000000u ? 2.f * v.w : 0.f;
    out[i] = v;
}
extern "C" void philox_dropout(const float* x, float* out, int n, cudaStream_t stream) {
    pd_four<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)x, (float4*)out, n / 4);
}
