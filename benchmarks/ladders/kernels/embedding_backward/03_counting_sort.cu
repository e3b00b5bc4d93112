// kernelwright: task=../../tasks/embedding_backward.py entry=embed_back args="g, token, out, g.shape[0]"
// tokens sorted by counting, then a block a row of the table adds up its own: atomics on integers only
#include <cuda_runtime.h>

__device__ int eb_count[8192], eb_start[8193], eb_at[32768];
__global__ void eb_zero() {
    eb_count[blockIdx.x * 256 + threadIdx.x] = 0;
}
__global__ void eb_histogram(const int* token) {
    atomicAdd(&eb_count[token[blockIdx.x * 256 + threadIdx.x]], 1);
}
__global__ void __launch_bounds__(1024) eb_scan() {
    __shared__ int part[32];
    int t = threadIdx.x, lane = t % 32, v[8], s = 0;
    for (int i = 0; i < 8; ++i) {
        v[i] = s;
        s += eb_count[t * 8 + i];
    }
    int u = s;
    for (int o = 1; o < 32; o *= 2) {
        int q = __shfl_up_sync(~0u, u, o);
        if (lane >= o) u += q;
    }
    if (lane == 31) part[t / 32] = u;
    __syncthreads();
    int before = u - s;
    for (int i = 0; i < t / 32; ++i) before += part[i];
    for (int i = 0; i < 8; ++i) {
        eb_start[t * 8 + i] = before + v[i];
        eb_count[t * 8 + i] = 0;
    }
    if (t == 1023) eb_start[8192] = before + s;
}
__global__ void eb_place(const int* token) {
    int i = blockIdx.x * 256 + threadIdx.x, k = token[i];
    eb_at[eb_start[k] + atomicAdd(&eb_count[k], 1)] = i;
}
__global__ void __launch_bounds__(64) eb_rows(const float4* __restrict__ g, float4* __restrict__ out) {
    int from = eb_start[blockIdx.x], to = eb_start[blockIdx.x + 1];
    float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int i = from; i < to; ++i) {
        float4 v = g[(size_t)eb_at[i] * 64 + threadIdx.x];
        s.x += v.x;
        s.y += v.y;
        s.z += v.z;
        s.w += v.w;
    }
    out[(size_t)blockIdx.x * 64 + threadIdx.x] = s;
}
extern "C" void embed_back(const float* g, const int* token, float* out, int t, cudaStream_t stream) {
    eb_zero<<<32, 256, 0, stream>>>();
    eb_histogram<<<t / 256, 256, 0, stream>>>(token);
    eb_scan<<<1, 1024, 0, stream>>>();
    eb_place<<<t / 256, 256, 0, stream>>>(token);
    eb_rows<<<8192, 64, 0, stream>>>((const float4*)g, (float4*)out);
}
