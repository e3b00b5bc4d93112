// kernelwright: task=../../tasks/kalman_track.py entry=kalman args="z, noise, out, z.shape[0], z.shape[1]"
// a thread a track, matrices in arrays that rolled loops index
#include <cuda_runtime.h>

__global__ void kf_rolled(const float* z, const float* noise, float* out, int n, int steps) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n) return;
    float f[4][4] = {{1, 0, 0.1f, 0}, {0, 1, 0, 0.1f}, {0, 0, 1, 0}, {0, 0, 0, 1}}, p[4][4], q[4][4], g[4][2], x[4] = {}, y[4];
#pragma unroll 1
    for (int i = 0; i < 16; ++i) p[i / 4][i % 4] = i % 5 == 0;
    for (int t = 0; t < steps; ++t) {
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            y[i] = 0;
#pragma unroll 1
            for (int j = 0; j < 4; ++j) {
                y[i] += f[i][j] * x[j];
                q[i][j] = 0;
                for (int k = 0; k < 4; ++k) q[i][j] += f[i][k] * p[k][j];
            }
        }
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            x[i] = y[i];
#pragma unroll 1
            for (int j = 0; j < 4; ++j) {
                float s = i == j ? 0.01f : 0.f;
                for (int k = 0; k < 4; ++k) s += q[i][k] * f[j][k];
                p[i][j] = s;
            }
        }
        float s00 = p[0][0] + noise[b], s01 = p[0][1], s10 = p[1][0], s11 = p[1][1] + noise[b], det = s00 * s11 - s01 * s10;
        float e0 = z[(b * steps + t) * 2] - x[0], e1 = z[(b * steps + t) * 2 + 1] - x[1];
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            g[i][0] = (p[i][0] * s11 - p[i][1] * s10) / det;
            g[i][1] = (p[i][1] * s00 - p[i][0] * s01) / det;
            x[i] += g[i][0] * e0 + g[i][1] * e1;
            for (int j = 0; j < 4; ++j) q[i][j] = p[i][j];
        }
#pragma unroll 1
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) p[i][j] -= g[i][0] * q[0][j] + g[i][1] * q[1][j];
    }
    for (int i = 0; i < 4; ++i) out[b * 4 + i] = x[i];
}
extern "C" void kalman(const float* z, const float* noise, float* out, int n, int steps, cudaStream_t stream) {
    kf_rolled<<<(n + 127) / 128, 128, 0, stream>>>(z, noise, out, n, steps);
}
