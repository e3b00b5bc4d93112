// kernelwright: task=../../tasks/pairwise.py entry=pairwise args="a, b, out, a.shape[0]"
// tiles of 64 points, transposed in shared memory, four by four pairs a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) pw_four(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    __shared__ __align__(16) float as[32][68], bs[32][68];
    int t = threadIdx.x, x = t % 16, y = t / 16;
    float s[4][4] = {};
    for (int h = 0; h < 64; h += 32) {
        for (int i = t; i < 2048; i += 256) {
            as[i % 32][i / 32] = a[((size_t)blockIdx.y * 64 + i / 32) * 64 + h + i % 32];
            bs[i % 32][i / 32] = b[((size_t)blockIdx.x * 64 + i / 32) * 64 + h + i % 32];
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; ++k) {
            float4 p = *(float4*)&as[k][y * 4], q = *(float4*)&bs[k][x * 4];
            const float u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int c = 0; c < 4; ++c) { float d = u[r] - v[c]; s[r][c] += d * d; }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
        *(float4*)&out[(size_t)(blockIdx.y * 64 + y * 4 + r) * n + blockIdx.x * 64 + x * 4] = make_float4(s[r][0], s[r][1], s[r][2], s[r][3]);
}
extern "C" void pairwise(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    pw_four<<<dim3(n / 64, n / 64), 256, 0, stream>>>(a, b, out, n);
}
