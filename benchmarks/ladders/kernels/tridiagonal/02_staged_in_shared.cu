// kernelwright: task=../../tasks/tridiagonal.py entry=tridiagonal args="a, b, c, d, out, b.shape[0]"
// 32 systems a block in padded shared memory, brought by four warps and solved by one
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) td_staged(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ d, float* __restrict__ x) {
    extern __shared__ float s[];
    float *as = s, *bs = s + 32 * 129, *cs = s + 64 * 129, *ds = s + 96 * 129;
    size_t base = (size_t)blockIdx.x * 4096;
    for (int r = 0; r < 32; ++r) {
        as[r * 129 + threadIdx.x] = a[base + r * 128 + threadIdx.x];
        bs[r * 129 + threadIdx.x] = b[base + r * 128 + threadIdx.x];
        cs[r * 129 + threadIdx.x] = c[base + r * 128 + threadIdx.x];
        ds[r * 129 + threadIdx.x] = d[base + r * 128 + threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        int o = threadIdx.x * 129;
        float cp = cs[o] / bs[o], dp = ds[o] / bs[o];
        cs[o] = cp;
        ds[o] = dp;
        for (int i = 1; i < 128; ++i) {
            float m = 1.f / (bs[o + i] - as[o + i] * cp);
            cs[o + i] = cp = cs[o + i] * m;
            ds[o + i] = dp = (ds[o + i] - as[o + i] * dp) * m;
        }
        for (int i = 126; i >= 0; --i) ds[o + i] = dp = ds[o + i] - cs[o + i] * dp;
    }
    __syncthreads();
    for (int r = 0; r < 32; ++r) x[base + r * 128 + threadIdx.x] = ds[r * 129 + threadIdx.x];
}
extern "C" void tridiagonal(const float* a, const float* b, const float* c, const float* d, float* x, int systems, cudaStream_t stream) {
    cudaFuncSetAttribute(td_staged, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 129 * 4);
    td_staged<<<systems / 32, 128, 128 * 129 * 4, stream>>>(a, b, c, d, x);
}
