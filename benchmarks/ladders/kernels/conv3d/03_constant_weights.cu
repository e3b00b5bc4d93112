// kernelwright: task=../../tasks/conv3d.py entry=conv3d args="x, w, out, x.shape[1], x.shape[2], x.shape[3]"
// weights copied to constant memory first
#include <cuda_runtime.h>

__constant__ float cw[3456];
__global__ void __launch_bounds__(128) c3_constant(const float* __restrict__ x, float* __restrict__ out, int d, int h, int wd) {
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
            for (int co = 0; co < 16; ++co) s[co] += v * cw[(co * 8 + ci) * 27 + tap];
        }
#pragma unroll
    for (int co = 0; co < 16; ++co) out[co * volume + i] = s[co];
}
extern "C" void conv3d(const float* x, const float* w, float* out, int d, int h, int wd, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(cw, w, sizeof(cw), 0, cudaMemcpyDeviceToDevice, stream);
    c3_constant<<<(d * h * wd + 127) / 128, 128, 0, stream>>>(x, out, d, h, wd);
}
