// kernelwright: task=../../tasks/trmm.py entry=trmm args="low, b, out, b.shape[0], b.shape[1]"
// 64 x 64 outputs a block, four by four a thread, short rows first
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) tm_four(const float* __restrict__ low, const float* __restrict__ b, float* __restrict__ out, int n, int m) {
    __shared__ float as[16][68], bs[16][64];
    int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k = 0; k < r0 + 64; k += 16) {
        int ar = t / 4, ac = t % 4 * 4;
        float4 v = *(const float4*)&low[(size_t)(r0 + ar) * n + k + ac];
        as[ac][ar] = k + ac <= r0 + ar ? v.x : 0.f;
        as[ac + 1][ar] = k + ac + 1 <= r0 + ar ? v.y : 0.f;
        as[ac + 2][ar] = k + ac + 2 <= r0 + ar ? v.z : 0.f;
        as[ac + 3][ar] = k + ac + 3 <= r0 + ar ? v.w : 0.f;
        *(float4*)&bs[t / 16][x] = *(const float4*)&b[(size_t)(k + t / 16) * m + c0 + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float4 p = *(float4*)&as[i][y], q = *(float4*)&bs[i][x];
            float pa[4] = {p.x, p.y, p.z, p.w}, qa[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int u = 0; u < 4; ++u)
#pragma unroll
                for (int w = 0; w < 4; ++w) acc[u][w] += pa[u] * qa[w];
        }
        __syncthreads();
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) *(float4*)&out[(size_t)(r0 + y + u) * m + c0 + x] = make_float4(acc[u][0], acc[u][1], acc[u][2], acc[u][3]);
}
extern "C" void trmm(const float* low, const float* b, float* out, int n, int m, cudaStream_t stream) {
    tm_four<<<dim3(m / 64, n / 64), 256, 0, stream>>>(low, b, out, n, m);
}
