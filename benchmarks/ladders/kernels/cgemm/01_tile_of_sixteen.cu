// kernelwright: task=../../tasks/cgemm.py entry=cgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// tiles of 16 x 16 in shared memory, an output a thread
#include <cuda_runtime.h>

__global__ void cg_small(const float2* a, const float2* b, float2* out, int n, int k) {
    __shared__ float2 as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
    float re = 0.f, im = 0.f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        as[ty][tx] = a[(size_t)r * k + k0 + tx];
        bs[ty][tx] = b[(size_t)(k0 + ty) * n + c];
        __syncthreads();
        for (int p = 0; p < 16; ++p) {
            float2 x = as[ty][p], y = bs[p][tx];
            re += x.x * y.x - x.y * y.y;
            im += x.x * y.y + x.y * y.x;
        }
        __syncthreads();
    }
    out[(size_t)r * n + c] = make_float2(re, im);
}
extern "C" void cgemm(const float* a, const float* b, float* out, int m, int n, int k, cudaStream_t stream) {
    cg_small<<<dim3(n / 16, m / 16), dim3(16, 16), 0, stream>>>((const float2*)a, (const float2*)b, (float2*)out, n, k);
}
