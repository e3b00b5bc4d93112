// kernelwright: task=../../tasks/philox_dropout.py entry=philox_dropout args="x, out, x.shape[0]"
// a thread an element, three of four words thrown away
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
__global__ void pd_one(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 r = philox(i / 4);
    unsigned word = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
    out[i] = word >= 0x80000000u ? 2.f * x[i] : 0.f;
}
extern "C" void philox_dropout(const float* x, float* out, int n, cudaStream_t stream) {
    pd_one<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
