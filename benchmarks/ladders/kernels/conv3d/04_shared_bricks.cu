// kernelwright: task=../../tasks/conv3d.py entry=conv3d args="x, w, out, x.shape[1], x.shape[2], x.shape[3]"
// a block a brick of 32 x 4 x 2, a channel of it with its border in shared memory at a time, a thread sixteen channels
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) c3_brick(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int d, int h, int wd) {
    __shared__ float4 sw[216][4];
    __shared__ float brick[4][6][34];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, t = (tz * 4 + ty) * 32 + tx, volume = d * h * wd;
    int c0 = blockIdx.x * 32, r0 = blockIdx.y * 4, z0 = blockIdx.z * 2;
    for (int i = t; i < 3456; i += 256) ((float*)sw)[i % 216 * 16 + i / 216] = w[i];
    float s[16] = {};
    for (int ci = 0; ci < 8; ++ci) {
        __syncthreads();
        for (int i = t; i < 816; i += 256) {
            int cc = c0 + i % 34 - 1, rr = r0 + i / 34 % 6 - 1, zz = z0 + i / 204 - 1;
            bool in = zz >= 0 && zz < d && rr >= 0 && rr < h && cc >= 0 && cc < wd;
            ((float*)brick)[i] = in ? x[ci * volume + (zz * h + rr) * wd + cc] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int tap = 0; tap < 27; ++tap) {
            float v = brick[tz + tap / 9][ty + tap / 3 % 3][tx + tap % 3];
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                float4 k = sw[ci * 27 + tap][q];
                s[4 * q] += v * k.x;
                s[4 * q + 1] += v * k.y;
                s[4 * q + 2] += v * k.z;
                s[4 * q + 3] += v * k.w;
            }
        }
    }
    int c = c0 + tx, r = r0 + ty, z = z0 + tz;
    if (c >= wd || r >= h || z >= d) return;
#pragma unroll
    for (int co = 0; co < 16; ++co) out[co * volume + (z * h + r) * wd + c] = s[co];
}
extern "C" void conv3d(const float* x, const float* w, float* out, int d, int h, int wd, cudaStream_t stream) {
    c3_brick<<<dim3((wd + 31) / 32, (h + 3) / 4, (d + 1) / 2), dim3(32, 4, 2), 0, stream>>>(x, w, out, d, h, wd);
}
