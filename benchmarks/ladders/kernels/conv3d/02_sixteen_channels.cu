// kernelwright: task=../../tasks/conv3d.py entry=conv3d args="x, w, out, x.shape[1], x.shape[2], x.shape[3]"
// a thread the sixteen channels of a place, weights in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) c3_channels(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int d, int h, int wd) {
    __shared__ float4 sw[216][4];
    for (int i = threadIdx.x; i < 3456; i += 128) ((float*)sw)[i % 216 * 16 + i / 216] = w[i];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x, volume = d * h * wd;
    if (i >= volume) return;
    int c = i % wd, r = i / wd % h, z = i / (wd * h);
    float s[16] = {};
    for (int ci = 0; ci < 8; ++ci)
#pragma unroll
        for (int tap = 0; tap < 27; ++tap) {
            int zz = z + tap / 9 - 1, rr = r + tap / 3 % 3 - 1, cc = c + tap % 3 - 1;
            bool in = zz >= 0 && zz < d && rr >= 0 && rr < h && cc >= 0 && cc < wd;
            float v = in ? x[ci * volume + (zz * h + rr) * wd + cc] : 0.f;
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                float4 k = sw[ci * 27 + tap][q];
                s[4 * q] += v * k.x;
                s[4 * q + 1] += v * k.y;
                s[4 * q + 2] += v * k.z;
                s[4 * q + 3] += v * k.w;
            }
        }
#pragma unroll
    for (int co = 0; co < 16; ++co) out[co * volume + i] = s[co];
}
extern "C" void conv3d(const float* x, const float* w, float* out, int d, int h, int wd, cudaStream_t stream) {
    c3_channels<<<(d * h * wd + 127) / 128, 128, 0, stream>>>(x, w, out, d, h, wd);
}
