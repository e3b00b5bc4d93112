// kernelwright: task=../../tasks/w8a16_gemm.py entry=w8a16 args="x, q, scale, out, q.shape[0], q.shape[1]"
// 16 x 16 outputs a block, operands as floats in shared memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void wa_floats(const __half* x, const signed char* q, const float* scale, __half* out, int n, int k) {
    __shared__ float xs[16][33], qs[16][33];
    int tx = threadIdx.x, ty = threadIdx.y, m0 = blockIdx.y * 16, n0 = blockIdx.x * 16;
    float acc = 0.f;
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int h = 0; h < 32; h += 16) {
            xs[ty][tx + h] = __half2float(x[(size_t)(m0 + ty) * k + k0 + tx + h]);
            qs[ty][tx + h] = q[(size_t)(n0 + ty) * k + k0 + tx + h];
        }
        __syncthreads();
        for (int p = 0; p < 32; ++p) acc += xs[ty][p] * qs[tx][p];
        __syncthreads();
    }
    out[(size_t)(m0 + ty) * n + n0 + tx] = __float2half(acc * scale[n0 + tx]);
}
extern "C" void w8a16(const __half* x, const signed char* q, const float* scale, __half* out, int n, int k, cudaStream_t stream) {
    wa_floats<<<dim3(n / 16, 4), dim3(16, 16), 0, stream>>>(x, q, scale, out, n, k);
}
