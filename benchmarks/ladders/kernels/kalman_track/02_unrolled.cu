// kernelwright: task=../../tasks/kalman_track.py entry=kalman args="z, noise, out, z.shape[0], z.shape[1]"
// all loops over rows and columns unrolled: matrices in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) kf_unrolled(const float2* __restrict__ z, const float* __restrict__ noise, float4* __restrict__ out, int n, int steps) {
    int b = blockIdx.x * 128 + threadIdx.x;
    if (b >= n) return;
    const float f[4][4] = {{1, 0, 0.1f, 0}, {0, 1, 0, 0.1f}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    float p[4][4], q[4][4], x[4] = {}, r = noise[b];
#pragma unroll
    for (int i = 0; i < 16; ++i) p[i / 4][i % 4] = i % 5 == 0;
    for (int t = 0; t < steps; ++t) {
        float2 m = z[b * steps + t];
        float y[4], g[4][2];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            y[i] = 0;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                y[i] += f[i][j] * x[j];
                q[i][j] = 0;
#pragma unroll
                for (int k = 0; k < 4; ++k) q[i][j] += f[i][k] * p[k][j];
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            x[i] = y[i];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                p[i][j] = i == j ? 0.01f : 0.f;
#pragma unroll
                for (int k = 0; k < 4; ++k) p[i][j] += q[i][k] * f[j][k];
            }
        }
        float s00 = p[0][0] + r, s01 = p[0][1], s10 = p[1][0], s11 = p[1][1] + r, inv = 1.f / (s00 * s11 - s01 * s10);
        float e0 = m.x - x[0], e1 = m.y - x[1];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            g[i][0] = (p[i][0] * s11 - p[i][1] * s10) * inv;
            g[i][1] = (p[i][1] * s00 - p[i][0] * s01) * inv;
            x[i] += g[i][0] * e0 + g[i][1] * e1;
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float a = p[0][j], c = p[1][j];
#pragma unroll
            for (int i = 0; i < 4; ++i) p[i][j] -= g[i][0] * a + g[i][1] * c;
        }
    }
    out[b] = make_float4(x[0], x[1], x[2], x[3]);
}
extern "C" void kalman(const float* z, const float* noise, float* out, int n, int steps, cudaStream_t stream) {
    kf_unrolled<<<(n + 127) / 128, 128, 0, stream>>>((const float2*)z, noise, (float4*)out, n, steps);
}
