// kernelwright: task=../../tasks/conv_transpose.py entry=conv_transpose args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread four outputs of all parities for four output channels, weights in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ct_quad(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int c, int h) {
    __shared__ float ws[8][4][16];
    int ix = blockIdx.x * 32 + threadIdx.x, iy = blockIdx.y * 8 + threadIdx.y, o = 2 * h;
    int groups = c / 4, co = blockIdx.z % groups * 4, b = blockIdx.z / groups, t = threadIdx.y * 32 + threadIdx.x;
    float sum[4][4] = {};
    for (int base = 0; base < c; base += 8) {
        int many = min(8, c - base);
        __syncthreads();
        for (int i = t; i < many * 64; i += 256) ws[i / 64][i / 16 % 4][i % 16] = w[((base + i / 64) * c + co) * 16 + i % 64];
        __syncthreads();
        if (ix < h && iy < h)
            for (int ci = 0; ci < many; ++ci) {
                float in[3][3];
#pragma unroll
                for (int dy = 0; dy < 3; ++dy)
#pragma unroll
                    for (int dx = 0; dx < 3; ++dx) {
                        int y = iy + dy - 1, xx = ix + dx - 1;
                        in[dy][dx] = y >= 0 && y < h && xx >= 0 && xx < h ? x[((b * c + base + ci) * h + y) * h + xx] : 0.f;
                    }
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const float* q = ws[ci][k];
                    sum[k][0] += in[1][1] * q[5] + in[1][0] * q[7] + in[0][1] * q[13] + in[0][0] * q[15];
                    sum[k][1] += in[1][1] * q[6] + in[1][2] * q[4] + in[0][1] * q[14] + in[0][2] * q[12];
                    sum[k][2] += in[1][1] * q[9] + in[1][0] * q[11] + in[2][1] * q[1] + in[2][0] * q[3];
                    sum[k][3] += in[1][1] * q[10] + in[1][2] * q[8] + in[2][1] * q[2] + in[2][2] * q[0];
                }
            }
    }
    if (ix >= h || iy >= h) return;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float2* row = (float2*)(out + ((b * c + co + k) * o + 2 * iy) * (size_t)o) + ix;
        row[0] = make_float2(sum[k][0], sum[k][1]);
        row[h] = make_float2(sum[k][2], sum[k][3]);
    }
}
extern "C" void conv_transpose(const float* x, const float* w, float* out, int n, int c, int h, cudaStream_t stream) {
    dim3 block(32, 8), grid((h + 31) / 32, (h + 7) / 8, n * (c / 4));
    ct_quad<<<grid, block, 0, stream>>>(x, w, out, c, h);
}
