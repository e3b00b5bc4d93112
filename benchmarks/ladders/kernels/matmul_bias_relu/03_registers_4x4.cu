// kernelwright: task=../../tasks/matmul_bias_relu.py entry=linear_relu args="x, w, bias, out, x.shape[0], w.shape[1], x.shape[1]"
// 64 x 64 outputs a block, four by four in the registers of a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) lr_four(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias, float* __restrict__ out, int n, int k) {
    __shared__ float xs[16][68];
    __shared__ __align__(16) float ws[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        float4 v = *(const float4*)&x[(size_t)(r0 + t / 4) * k + k0 + t % 4 * 4];
        xs[t % 4 * 4][t / 4] = v.x;
        xs[t % 4 * 4 + 1][t / 4] = v.y;
        xs[t % 4 * 4 + 2][t / 4] = v.z;
        xs[t % 4 * 4 + 3][t / 4] = v.w;
        *(float4*)&ws[ty][tx * 4] = *(const float4*)&w[(size_t)(k0 + ty) * n + c0 + tx * 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float a[4];
#pragma unroll
            for (int y = 0; y < 4; ++y) a[y] = xs[i][ty * 4 + y];
            float4 b = *(float4*)&ws[i][tx * 4];
#pragma unroll
            for (int y = 0; y < 4; ++y) {
                acc[y][0] += a[y] * b.x;
                acc[y][1] += a[y] * b.y;
                acc[y][2] += a[y] * b.z;
                acc[y][3] += a[y] * b.w;
            }
        }
        __syncthreads();
    }
    float4 b = *(const float4*)&bias[c0 + tx * 4];
#pragma unroll
    for (int y = 0; y < 4; ++y)
        *(float4*)&out[(size_t)(r0 + ty * 4 + y) * n + c0 + tx * 4] =
            make_float4(fmaxf(acc[y][0] + b.x, 0.f), fmaxf(acc[y][1] + b.y, 0.f), fmaxf(acc[y][2] + b.z, 0.f), fmaxf(acc[y][3] + b.w, 0.f));
}
extern "C" void linear_relu(const float* x, const float* w, const float* bias, float* out, int m, int n, int k, cudaStream_t stream) {
    lr_four<<<dim3(n / 64, m / 64), 256, 0, stream>>>(x, w, bias, out, n, k);
}
