// kernelwright: task=../../tasks/quantise_rows.py entry=quantise_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row of up to 4096, the row kept in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) qr_registers(const float4* __restrict__ x, char4* __restrict__ out, int d4) {
    __shared__ float s[8];
    int t = threadIdx.x;
    const float4* row = x + (size_t)blockIdx.x * d4;
    float4 v[4];
    float m = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = t + 256 * i < d4 ? row[t + 256 * i] : make_float4(0.f, 0.f, 0.f, 0.f);
        m = fmaxf(m, fmaxf(fmaxf(fabsf(v[i].x), fabsf(v[i].y)), fmaxf(fabsf(v[i].z), fabsf(v[i].w))));
    }
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (t % 32 == 0) s[t / 32] = m;
    __syncthreads();
    for (int i = 0; i < 8; ++i) m = fmaxf(m, s[i]);
    float f = 127.f / m;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (t + 256 * i < d4)
            out[(size_t)blockIdx.x * d4 + t + 256 * i] =
                make_char4((signed char)rintf(v[i].x * f), (signed char)rintf(v[i].y * f), (signed char)rintf(v[i].z * f), (signed char)rintf(v[i].w * f));
}
extern "C" void quantise_rows(const float* x, signed char* out, int rows, int d, cudaStream_t stream) {
    qr_registers<<<rows, 256, 0, stream>>>((const float4*)x, (char4*)out, d / 4);
}
