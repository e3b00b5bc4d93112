// kernelwright: task=../../tasks/sort_rows.py entry=sort_rows args="x, out, x.numel()"
// a warp a row, 32 values a lane, in registers and by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) so_warp(const float* x, float* out) {
    int lane = threadIdx.x % 32;
    size_t row = ((size_t)blockIdx.x * 4 + threadIdx.x / 32) * 1024;
    float v[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) v[i] = x[row + i * 32 + lane];
#pragma unroll
    for (int k = 2; k <= 1024; k *= 2)
#pragma unroll
        for (int j = k / 2; j > 0; j /= 2) {
            if (j >= 32) {
#pragma unroll
                for (int i = 0; i < 32; ++i) {
                    int p = i ^ (j / 32);
                    if (p > i) {
                        bool up = (i * 32 & k) == 0;
                        float a = fminf(v[i], v[p]), b = fmaxf(v[i], v[p]);
                        v[i] = up ? a : b;
                        v[p] = up ? b : a;
                    }
                }
            } else {
#pragma unroll
                for (int i = 0; i < 32; ++i) {
                    float o = __shfl_xor_sync(~0u, v[i], j);
                    bool up = ((i * 32 + lane) & k) == 0;
                    v[i] = ((lane & j) == 0) == up ? fminf(v[i], o) : fmaxf(v[i], o);
                }
            }
        }
#pragma unroll
    for (int i = 0; i < 32; ++i) out[row + i * 32 + lane] = v[i];
}
extern "C" void sort_rows(const float* x, float* out, int n, cudaStream_t stream) {
    so_warp<<<n / 4096, 128, 0, stream>>>(x, out);
}
