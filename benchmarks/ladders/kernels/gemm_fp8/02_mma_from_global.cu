// kernelwright: task=../../tasks/gemm_fp8.py entry=gemm_fp8 args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// tensor cores on 8-bit floats, fragments straight from global memory, 32 x 32 outputs a warp
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) f8_global(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, float* __restrict__ out, int n, int k) {
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, m0 = blockIdx.y * 64 + w / 2 * 32, n0 = blockIdx.x * 64 + w % 2 * 32, g = lane / 4, q = lane % 4 * 4;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
        unsigned fa[2][4], fb[4][2];
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) fa[i][e] = *(const unsigned*)&a[(size_t)(m0 + i * 16 + g + e % 2 * 8) * k + k0 + q + e / 2 * 16];
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) fb[j][e] = *(const unsigned*)&b[(size_t)(n0 + j * 8 + g) * k + k0 + q + e * 16];
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                             : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float* o = out + (size_t)(m0 + i * 16 + g) * n + n0 + j * 8 + lane % 4 * 2;
            *(float2*)o = make_float2(acc[i][j][0] * 0.03125f, acc[i][j][1] * 0.03125f);
            *(float2*)(o + 8 * n) = make_float2(acc[i][j][2] * 0.03125f, acc[i][j][3] * 0.03125f);
        }
}
extern "C" void gemm_fp8(const unsigned char* a, const unsigned char* b, float* out, int m, int n, int k, cudaStream_t stream) {
    f8_global<<<dim3(n / 64, m / 64), 128, 0, stream>>>(a, b, out, n, k);
}
