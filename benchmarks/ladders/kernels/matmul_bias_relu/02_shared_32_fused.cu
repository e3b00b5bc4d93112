// kernelwright: task=../../tasks/matmul_bias_relu.py entry=linear_relu args="x, w, bias, out, x.shape[0], w.shape[1], x.shape[1]"
// 32 x 32 tiles in shared memory, the epilogue fused
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) lr_tile(const float* x, const float* w, const float* bias, float* out, int n, int k) {
    __shared__ float xs[32][32], ws[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 32 + ty, c = blockIdx.x * 32 + tx;
    float s = 0.f;
    for (int k0 = 0; k0 < k; k0 += 32) {
        xs[ty][tx] = x[(size_t)r * k + k0 + tx];
        ws[ty][tx] = w[(size_t)(k0 + ty) * n + c];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) s += xs[ty][i] * ws[i][tx];
        __syncthreads();
    }
    out[(size_t)r * n + c] = fmaxf(s + bias[c], 0.f);
}
extern "C" void linear_relu(const float* x, const float* w, const float* bias, float* out, int m, int n, int k, cudaStream_t stream) {
    lr_tile<<<dim3(n / 32, m / 32), dim3(32, 32), 0, stream>>>(x, w, bias, out, n, k);
}
