// kernelwright: task=../../tasks/gaussian_blur.py entry=blur args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// a warp a strip of 32 columns and 16 rows: lines through shared memory, eleven of them kept in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) gb_strip(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int h, int wd) {
    __shared__ float line[4][2][44];
    int wp = threadIdx.x / 32, lane = threadIdx.x % 32, c0 = blockIdx.x * 32, r0 = (blockIdx.y * 4 + wp) * 16;
    size_t base = (size_t)blockIdx.z * h * wd;
    float ws[11], ring[11];
#pragma unroll
    for (int j = 0; j < 11; ++j) ws[j] = w[j];
    int ca = c0 + lane - 5, cb = c0 + lane + 27;
#pragma unroll
    for (int i = 0; i < 26; ++i) {
        int r = r0 + i - 5;
        bool in = r >= 0 && r < h;
        line[wp][i % 2][lane] = in && ca >= 0 ? x[base + (size_t)r * wd + ca] : 0.f;
        if (lane < 10) line[wp][i % 2][lane + 32] = in && cb < wd ? x[base + (size_t)r * wd + cb] : 0.f;
        __syncwarp();
        float s = 0.f;
#pragma unroll
        for (int j = 0; j < 11; ++j) s += ws[j] * line[wp][i % 2][lane + j];
        ring[i % 11] = s;
        if (i >= 10) {
            s = 0.f;
#pragma unroll
            for (int j = 0; j < 11; ++j) s += ws[j] * ring[(i + 1 + j) % 11];
            out[base + (size_t)(r0 + i - 10) * wd + c0 + lane] = s;
        }
    }
}
extern "C" void blur(const float* x, const float* w, float* out, int b, int h, int wd, cudaStream_t stream) {
    gb_strip<<<dim3(wd / 32, h / 64, b), 128, 0, stream>>>(x, w, out, h, wd);
}
