// kernelwright: task=../../tasks/linear_gelu_half.py entry=linear_gelu_half args="x, w, b, out, x.shape[0], w.shape[0], w.shape[1]"
// mma.sync with ldmatrix, three stages of copies, bias and GELU on the accumulators
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

__device__ float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }
__device__ void load4(unsigned* f, const __half* at) {
    unsigned a = (unsigned)__cvta_generic_to_shared(at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"(a));
}
__device__ void multiply(float* c, const unsigned* a, const unsigned* b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void __launch_bounds__(256) lg_mma(const __half* __restrict__ x, const __half* __restrict__ w, const __half* __restrict__ b, __half* __restrict__ out, int n, int k) {
    extern __shared__ __align__(128) __half stage[];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, r0 = blockIdx.y * 128, c0 = blockIdx.x * 128, wr = warp / 2 * 32, wc = warp % 2 * 64;
    float acc[2][8][4] = {};
    auto fetch = [&](int s, int base) {
        if (base < k)
            for (int i = t; i < 512; i += 256) {
                int r = i / 4, c = i % 4 * 8;
                __pipeline_memcpy_async(stage + s * 10240 + r * 40 + c, x + (size_t)(r0 + r) * k + base + c, 16);
                __pipeline_memcpy_async(stage + s * 10240 + 5120 + r * 40 + c, w + (size_t)(c0 + r) * k + base + c, 16);
            }
        __pipeline_commit();
    };
    fetch(0, 0);
    fetch(1, 32);
    int s = 0;
    for (int base = 0; base < k; base += 32) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(s == 0 ? 2 : s - 1, base + 64);
        const __half *sa = stage + s * 10240, *sb = sa + 5120;
#pragma unroll
        for (int q = 0; q < 32; q += 16) {
            unsigned fa[2][4], fb[4][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) load4(fa[i], sa + (wr + 16 * i + lane % 16) * 40 + q + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < 4; ++j) load4(fb[j], sb + (wc + 16 * j + lane / 16 * 8 + lane % 8) * 40 + q + lane / 8 % 2 * 8);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) multiply(acc[i][j], fa[i], fb[j / 2] + j % 2 * 2);
        }
        s = s == 2 ? 0 : s + 1;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        int c = c0 + wc + 8 * j + lane % 4 * 2;
        float2 bias = __half22float2(*(const __half2*)(b + c));
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                int r = r0 + wr + 16 * i + lane / 4 + 8 * h;
                *(__half2*)(out + (size_t)r * n + c) = __floats2half2_rn(gelu(acc[i][j][2 * h] + bias.x), gelu(acc[i][j][2 * h + 1] + bias.y));
            }
    }
}
extern "C" void linear_gelu_half(const __half* x, const __half* w, const __half* b, __half* out, int m, int n, int k, cudaStream_t stream) {
    cudaFuncSetAttribute(lg_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440);
    lg_mma<<<dim3(n / 128, m / 128), 256, 61440, stream>>>(x, w, b, out, n, k);
}
