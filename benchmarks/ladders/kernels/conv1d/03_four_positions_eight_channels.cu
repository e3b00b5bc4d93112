// kernelwright: task=../../tasks/conv1d.py entry=conv1d args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// four positions by eight channels in registers, weights as float4, a strip of 512 positions
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) c1_registers(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int c, int len) {
    __shared__ __align__(16) float xs[4][520], ws[4][5][8];
    int t = threadIdx.x, p0 = blockIdx.x * 512, o0 = blockIdx.y * 8;
    size_t base = (size_t)blockIdx.z * c * len;
    float acc[8][4] = {};
    for (int i0 = 0; i0 < c; i0 += 4) {
        for (int i = t; i < 4 * 516; i += 128) {
            int q = p0 + i % 516 - 2;
            xs[i / 516][i % 516] = q >= 0 && q < len ? x[base + (size_t)(i0 + i / 516) * len + q] : 0.f;
        }
        for (int i = t; i < 160; i += 128) ws[i / 5 % 4][i % 5][i / 20] = w[((o0 + i / 20) * c + i0 + i / 5 % 4) * 5 + i % 5];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float4 a = *(const float4*)&xs[i][t * 4], b = *(const float4*)&xs[i][t * 4 + 4];
            float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
            for (int k = 0; k < 5; ++k) {
                float4 g = *(const float4*)&ws[i][k][0], h = *(const float4*)&ws[i][k][4];
                float u[8] = {g.x, g.y, g.z, g.w, h.x, h.y, h.z, h.w};
#pragma unroll
                for (int o = 0; o < 8; ++o)
#pragma unroll
                    for (int p = 0; p < 4; ++p) acc[o][p] += u[o] * v[p + k];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < 8; ++o)
        *(float4*)&out[base + (size_t)(o0 + o) * len + p0 + t * 4] = make_float4(acc[o][0], acc[o][1], acc[o][2], acc[o][3]);
}
extern "C" void conv1d(const float* x, const float* w, float* out, int b, int c, int len, cudaStream_t stream) {
    c1_registers<<<dim3(len / 512, c / 8, b), 128, 0, stream>>>(x, w, out, c, len);
}
