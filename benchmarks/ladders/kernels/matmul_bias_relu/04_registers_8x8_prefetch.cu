// kernelwright: task=../../tasks/matmul_bias_relu.py entry=linear_relu args="x, w, bias, out, x.shape[0], w.shape[1], x.shape[1]"
// 128 x 128 outputs a block, eight by eight a thread, the next tile fetched into registers meanwhile
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) lr_eight(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias, float* __restrict__ out, int n, int k) {
    __shared__ __align__(16) float xs[2][8][132];
    __shared__ __align__(16) float ws[2][8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 128, c0 = blockIdx.x * 128;
    const float* xp = x + (size_t)(r0 + t / 2) * k + t % 2 * 4;
    const float* wp = w + (size_t)(t / 32) * n + c0 + t % 32 * 4;
    float acc[8][8] = {};
    float4 fx = *(const float4*)xp, fw = *(const float4*)wp;
    int at = 0;
    for (int k0 = 0; k0 < k; k0 += 8) {
        xs[at][t % 2 * 4][t / 2] = fx.x;
        xs[at][t % 2 * 4 + 1][t / 2] = fx.y;
        xs[at][t % 2 * 4 + 2][t / 2] = fx.z;
        xs[at][t % 2 * 4 + 3][t / 2] = fx.w;
        *(float4*)&ws[at][t / 32][t % 32 * 4] = fw;
        __syncthreads();
        if (k0 + 8 < k) {
            fx = *(const float4*)(xp + k0 + 8);
            fw = *(const float4*)(wp + (size_t)(k0 + 8) * n);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            float a[8], b[8];
            *(float4*)&a[0] = *(float4*)&xs[at][i][ty * 4];
            *(float4*)&a[4] = *(float4*)&xs[at][i][64 + ty * 4];
            *(float4*)&b[0] = *(float4*)&ws[at][i][tx * 4];
            *(float4*)&b[4] = *(float4*)&ws[at][i][64 + tx * 4];
#pragma unroll
            for (int p = 0; p < 8; ++p)
#pragma unroll
                for (int q = 0; q < 8; ++q) acc[p][q] += a[p] * b[q];
        }
        at ^= 1;
    }
    float4 b0 = *(const float4*)&bias[c0 + tx * 4], b1 = *(const float4*)&bias[c0 + 64 + tx * 4];
#pragma unroll
    for (int p = 0; p < 8; ++p) {
        float* o = out + (size_t)(r0 + p / 4 * 64 + ty * 4 + p % 4) * n + c0 + tx * 4;
        *(float4*)o = make_float4(fmaxf(acc[p][0] + b0.x, 0.f), fmaxf(acc[p][1] + b0.y, 0.f), fmaxf(acc[p][2] + b0.z, 0.f), fmaxf(acc[p][3] + b0.w, 0.f));
        *(float4*)(o + 64) = make_float4(fmaxf(acc[p][4] + b1.x, 0.f), fmaxf(acc[p][5] + b1.y, 0.f), fmaxf(acc[p][6] + b1.z, 0.f), fmaxf(acc[p][7] + b1.w, 0.f));
    }
}
extern "C" void linear_relu(const float* x, const float* w, const float* bias, float* out, int m, int n, int k, cudaStream_t stream) {
    lr_eight<<<dim3(n / 128, m / 128), 256, 0, stream>>>(x, w, bias, out, n, k);
}
