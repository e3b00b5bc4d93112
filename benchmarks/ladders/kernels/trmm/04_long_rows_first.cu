// kernelwright: task=../../tasks/trmm.py entry=trmm args="low, b, out, b.shape[0], b.shape[1]"
// 64 x 64 outputs a block of 64 threads, eight by eight a thread, the next tiles held in registers, long rows first
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) tm_eight(const float* __restrict__ low, const float* __restrict__ b, float* __restrict__ out, int n, int m) {
    __shared__ float as[8][68], bs[8][64];
    int t = threadIdx.x, x = t % 8 * 4, y = t / 8 * 4, r0 = (gridDim.y - 1 - blockIdx.y) * 64, c0 = blockIdx.x * 64;
    float acc[8][8] = {};
    float4 na[2], nb[2];
    auto fetch = [&](int k) {
        na[0] = *(const float4*)&low[(size_t)(r0 + t) * n + k];
        na[1] = *(const float4*)&low[(size_t)(r0 + t) * n + k + 4];
#pragma unroll
        for (int i = 0; i < 2; ++i) nb[i] = *(const float4*)&b[(size_t)(k + t / 16 + i * 4) * m + c0 + t % 16 * 4];
    };
    fetch(0);
    for (int k = 0; k < r0 + 64; k += 8) {
        float v[8] = {na[0].x, na[0].y, na[0].z, na[0].w, na[1].x, na[1].y, na[1].z, na[1].w};
#pragma unroll
        for (int i = 0; i < 8; ++i) as[i][t] = k + i <= r0 + t ? v[i] : 0.f;
#pragma unroll
        for (int i = 0; i < 2; ++i) *(float4*)&bs[t / 16 + i * 4][t % 16 * 4] = nb[i];
        __syncthreads();
        if (k + 8 < r0 + 64) fetch(k + 8);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            float4 p0 = *(float4*)&as[i][y], p1 = *(float4*)&as[i][y + 32], q0 = *(float4*)&bs[i][x], q1 = *(float4*)&bs[i][x + 32];
            float pa[8] = {p0.x, p0.y, p0.z, p0.w, p1.x, p1.y, p1.z, p1.w}, qa[8] = {q0.x, q0.y, q0.z, q0.w, q1.x, q1.y, q1.z, q1.w};
#pragma unroll
            for (int u = 0; u < 8; ++u)
#pragma unroll
                for (int w = 0; w < 8; ++w) acc[u][w] += pa[u] * qa[w];
        }
        __syncthreads();
    }
#pragma unroll
    for (int u = 0; u < 8; ++u) {
        float* o = &out[(size_t)(r0 + y + u % 4 + u / 4 * 32) * m + c0 + x];
        *(float4*)o = make_float4(acc[u][0], acc[u][1], acc[u][2], acc[u][3]);
        *(float4*)(o + 32) = make_float4(acc[u][4], acc[u][5], acc[u][6], acc[u][7]);
    }
}
extern "C" void trmm(const float* low, const float* b, float* out, int n, int m, cudaStream_t stream) {
    tm_eight<<<dim3(m / 64, n / 64), 64, 0, stream>>>(low, b, out, n, m);
}
