// kernelwright: task=../../tasks/fir.py entry=fir args="x, taps, out, x.shape[0], x.shape[1]"
// blocks walk along a row, the next samples come by asynchronous copies meanwhile
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fi_async(const float* x, const float* taps, float* out, int n) {
    __shared__ __align__(16) float s[2][1056];
    __shared__ float w[33];
    int t = threadIdx.x, tiles = n / 1024;
    const float* row = x + (size_t)blockIdx.x * n;
    auto fetch = [&](int stage, int tile) {
        for (int i = t; i < 264; i += 256) {
            int c = tile * 1024 + 4 * i - 16;
            if (c >= 0 && c < n) __pipeline_memcpy_async(&s[stage][4 * i], &row[c], 16);
            else *(float4*)&s[stage][4 * i] = make_float4(0.f, 0.f, 0.f, 0.f);
        }
        __pipeline_commit();
    };
    if (t < 33) w[t] = taps[t];
    fetch(0, 0);
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) fetch((tile + 1) & 1, tile + 1);
        else __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float v[4] = {}, q[36];
#pragma unroll
        for (int i = 0; i < 9; ++i) *(float4*)&q[4 * i] = *(const float4*)&s[tile & 1][4 * (t + i)];
#pragma unroll
        for (int j = 0; j < 33; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i) v[i] += w[j] * q[i + j];
        *(float4*)&out[(size_t)blockIdx.x * n + tile * 1024 + 4 * t] = make_float4(v[0], v[1], v[2], v[3]);
        __syncthreads();
    }
}
extern "C" void fir(const float* x, const float* taps, float* out, int rows, int n, cudaStream_t stream) {
    fi_async<<<rows, 256, 0, stream>>>(x, taps, out, n);
}
