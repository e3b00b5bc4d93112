// kernelwright: task=../../tasks/attention.py entry=attention args="q, k, v, out, q.shape[0], q.shape[1]"
// a thread a query with its row in registers, keys and values of 32 in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) at_thread(const float* q, const float* k, const float* v, float* out, int s) {
    __shared__ float ks[32][64], vs[32][64];
    int t = threadIdx.x, h = blockIdx.y;
    size_t base = (size_t)h * s * 64, row = base + (size_t)(blockIdx.x * 128 + t) * 64;
    float qr[64], acc[64], m = -3.4e38f, l = 0.f;
#pragma unroll
    for (int d = 0; d < 64; ++d) { qr[d] = q[row + d] * 0.125f; acc[d] = 0.f; }
    for (int j0 = 0; j0 < s; j0 += 32) {
        for (int i = t; i < 512; i += 128) {
            ((float4*)ks)[i] = ((const float4*)(k + base + j0 * 64))[i];
            ((float4*)vs)[i] = ((const float4*)(v + base + j0 * 64))[i];
        }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            float d0 = 0.f;
#pragma unroll
            for (int d = 0; d < 64; ++d) d0 += qr[d] * ks[j][d];
            float n = fmaxf(m, d0), c = __expf(m - n), e = __expf(d0 - n);
            m = n;
            l = l * c + e;
#pragma unroll
            for (int d = 0; d < 64; ++d) acc[d] = acc[d] * c + e * vs[j][d];
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < 64; ++d) out[row + d] = acc[d] / l;
}
extern "C" void attention(const float* q, const float* k, const float* v, float* out, int bh, int s, cudaStream_t stream) {
    at_thread<<<dim3(s / 128, bh), 128, 0, stream>>>(q, k, v, out, s);
}
