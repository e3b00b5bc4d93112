// kernelwright: task=../../tasks/quantise_rows.py entry=quantise_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, float4 in, four bytes out, read twice
#include <cuda_runtime.h>

__global__ void qr_words(const float4* x, char4* out, int d4) {
    __shared__ float s[8];
    int t = threadIdx.x;
    const float4* row = x + (size_t)blockIdx.x * d4;
    float m = 0.f;
    for (int i = t; i < d4; i += 256) {
        float4 v = row[i];
        m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (t % 32 == 0) s[t / 32] = m;
    __syncthreads();
    for (int i = 0; i < 8; ++i) m = fmaxf(m, s[i]);
    float f = 127.f / m;
    for (int i = t; i < d4; i += 256) {
        float4 v = row[i];
        out[(size_t)blockIdx.x * d4 + i] = make_char4((signed char)rintf(v.x * f), (signed char)rintf(v.y * f), (signed char)rintf(v.z * f), (signed char)rintf(v.w * f));
    }
}
extern "C" void quantise_rows(const float* x, signed char* out, int rows, int d, cudaStream_t stream) {
    qr_words<<<rows, 256, 0, stream>>>((const float4*)x, (char4*)out, d / 4);
}
