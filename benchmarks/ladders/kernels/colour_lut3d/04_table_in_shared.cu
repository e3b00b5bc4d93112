// kernelwright: task=../../tasks/colour_lut3d.py entry=grade args="x, lut, out, x.shape[0]"
// 396 blocks that stay, each with the whole table of 59 kB in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) cl_shared(const float* __restrict__ x, const float* __restrict__ lut, float* __restrict__ out, int n) {
    extern __shared__ float table[];
    for (int i = threadIdx.x; i < 14739; i += 512) table[i] = lut[i];
    __syncthreads();
    for (int p = blockIdx.x * 512 + threadIdx.x; p < n; p += gridDim.x * 512) {
        float f0 = x[p * 3] * 16.f, f1 = x[p * 3 + 1] * 16.f, f2 = x[p * 3 + 2] * 16.f;
        int i0 = min((int)f0, 15), i1 = min((int)f1, 15), i2 = min((int)f2, 15);
        f0 -= i0;
        f1 -= i1;
        f2 -= i2;
        const float* e = table + ((i0 * 17 + i1) * 17 + i2) * 3;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            float r[2];
#pragma unroll
            for (int a = 0; a < 2; ++a) {
                const float* q = e + a * 867 + k;
                float low = q[0] + f2 * (q[3] - q[0]), high = q[51] + f2 * (q[54] - q[51]);
                r[a] = low + f1 * (high - low);
            }
            out[p * 3 + k] = r[0] + f0 * (r[1] - r[0]);
        }
    }
}
extern "C" void grade(const float* x, const float* lut, float* out, int n, cudaStream_t stream) {
    cudaFuncSetAttribute(cl_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 14739 * 4);
    cl_shared<<<396, 512, 14739 * 4, stream>>>(x, lut, out, n);
}
