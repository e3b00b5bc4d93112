// kernelwright: task=../../tasks/walsh_hadamard.py entry=walsh_hadamard args="x, out, x.numel()"
// a warp a row, 32 values a lane; half of the stages in registers, half by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) wh_warp(const float4* __restrict__ x, float4* __restrict__ out, int rows) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float v[32];
#pragma unroll
    for (int i = 0; i < 8; ++i) *(float4*)(v + 4 * i) = x[(size_t)r * 256 + 32 * i + lane];
#pragma unroll
    for (int span = 1; span < 32; span *= 2)
#pragma unroll
        for (int i = 0; i < 32; ++i)
            if (!(i & span)) {
                float a = v[i], b = v[i + span];
                v[i] = a + b;
                v[i + span] = a - b;
            }
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        float sign = lane & o ? -1.f : 1.f;
#pragma unroll
        for (int i = 0; i < 32; ++i) v[i] = fmaf(v[i], sign, __shfl_xor_sync(~0u, v[i], o));
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) out[(size_t)r * 256 + 32 * i + lane] = make_float4(v[4 * i] * 0.03125f, v[4 * i + 1] * 0.03125f, v[4 * i + 2] * 0.03125f, v[4 * i + 3] * 0.03125f);
}
extern "C" void walsh_hadamard(const float* x, float* out, int n, cudaStream_t stream) {
    wh_warp<<<(n / 1024 + 3) / 4, 128, 0, stream>>>((const float4*)x, (float4*)out, n / 1024);
}
