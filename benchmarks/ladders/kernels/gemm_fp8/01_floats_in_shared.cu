// kernelwright: task=../../tasks/gemm_fp8.py entry=gemm_fp8 args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// tiles of 32 x 32 converted to floats in shared memory, four outputs a thread
#include <cuda_fp8.h>

__device__ __forceinline__ float f8_value(unsigned char v) {
    __nv_fp8_e4m3 f;
    f.__x = v;
    return (float)f;
}
__global__ void __launch_bounds__(256) f8_floats(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, float* __restrict__ out, int n, int k) {
    __shared__ float as[32][33], bs[32][33];
    int t = threadIdx.x, c = t % 32, r = t / 32, m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
    float acc[4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            as[r + 8 * i][c] = f8_value(a[(size_t)(m0 + r + 8 * i) * k + k0 + c]);
            bs[r + 8 * i][c] = f8_value(b[(size_t)(n0 + r + 8 * i) * k + k0 + c]);
        }
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < 32; ++p)
#pragma unroll
            for (int i = 0; i < 4; ++i) acc[i] += as[r + 8 * i][p] * bs[c][p];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) out[(size_t)(m0 + r + 8 * i) * n + n0 + c] = acc[i] * 0.03125f;
}
extern "C" void gemm_fp8(const unsigned char* a, const unsigned char* b, float* out, int m, int n, int k, cudaStream_t stream) {
    f8_floats<<<dim3(n / 32, m / 32), 256, 0, stream>>>(a, b, out, n, k);
}
