// kernelwright: task=../../tasks/conv1x1.py entry=conv1x1 args="x, w, out, x.shape[0], x.shape[1], w.shape[0], x.shape[2]*x.shape[3]"
// a product of matrices a sample: 64 filters by 64 points a block, 4 x 4 a thread, 8 channels at once
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) pw_gemm(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int C, int K, int P) {
    __shared__ __align__(16) float ws[8][64 + 4], xs[8][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, p0 = blockIdx.x * 64, k0 = blockIdx.y * 64;
    x += (size_t)blockIdx.z * C * P;
    out += (size_t)blockIdx.z * K * P;
    float s[4][4] = {};
    for (int c0 = 0; c0 < C; c0 += 8) {
        for (int i = t; i < 512; i += 256) {
            ws[i % 8][i / 8] = w[(k0 + i / 8) * C + c0 + i % 8];
            xs[i / 64][i % 64] = p0 + i % 64 < P ? x[(c0 + i / 64) * P + p0 + i % 64] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < 8; c++) {
            float4 a = *(float4*)&ws[c][ty * 4], b = *(float4*)&xs[c][tx * 4];
            float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) s[i][j] += av[i] * bv[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (p0 + tx * 4 + j < P) out[(k0 + ty * 4 + i) * P + p0 + tx * 4 + j] = s[i][j];
}
extern "C" void conv1x1(const float* x, const float* w, float* out, int N, int C, int K, int P, cudaStream_t stream) {
    pw_gemm<<<dim3((P + 63) / 64, K / 64, N), 256, 0, stream>>>(x, w, out, C, K, P);
}
