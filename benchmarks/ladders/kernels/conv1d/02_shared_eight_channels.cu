// kernelwright: task=../../tasks/conv1d.py entry=conv1d args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// a strip of 128 positions and eight input channels in shared memory, eight output channels a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) c1_shared(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int c, int len) {
    __shared__ float xs[8][132], ws[8][8][5];
    int t = threadIdx.x, p0 = blockIdx.x * 128, o0 = blockIdx.y * 8;
    size_t base = (size_t)blockIdx.z * c * len;
    float acc[8] = {};
    for (int i0 = 0; i0 < c; i0 += 8) {
        for (int i = t; i < 8 * 132; i += 128) {
            int q = p0 + i % 132 - 2;
            xs[i / 132][i % 132] = q >= 0 && q < len ? x[base + (size_t)(i0 + i / 132) * len + q] : 0.f;
        }
        for (int i = t; i < 320; i += 128) ws[i / 40][i / 5 % 8][i % 5] = w[((o0 + i / 40) * c + i0 + i / 5 % 8) * 5 + i % 5];
        __syncthreads();
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int k = 0; k < 5; ++k) {
                float v = xs[i][t + k];
#pragma unroll
                for (int o = 0; o < 8; ++o) acc[o] += v * ws[o][i][k];
            }
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < 8; ++o) out[base + (size_t)(o0 + o) * len + p0 + t] = acc[o];
}
extern "C" void conv1d(const float* x, const float* w, float* out, int b, int c, int len, cudaStream_t stream) {
    c1_shared<<<dim3(len / 128, c / 8, b), 128, 0, stream>>>(x, w, out, c, len);
}
