// kernelwright: task=../../tasks/linear_attention_bf16.py entry=linear_attention args="q, k, v, out, q.shape[0], q.shape[1]"
// floats in shared memory, 4 x 4 a thread; the state of a head added up by atomics
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ float la_state[32 * 4096];

__global__ void __launch_bounds__(256) la_keys(const __nv_bfloat16* k, const __nv_bfloat16* v, int len) {
    __shared__ float ks[32][64], vs[32][64];
    int t = threadIdx.x, r = t / 16 * 4, c = t % 16 * 4;
    size_t base = ((size_t)blockIdx.y * len + blockIdx.x * 256) * 64;
    float acc[4][4] = {};
    for (int t0 = 0; t0 < 256; t0 += 32) {
        for (int i = t; i < 2048; i += 256) {
            ks[i / 64][i % 64] = __bfloat162float(k[base + t0 * 64 + i]);
            vs[i / 64][i % 64] = __bfloat162float(v[base + t0 * 64 + i]);
        }
        __syncthreads();
        for (int p = 0; p < 32; ++p)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) acc[i][j] += ks[p][r + i] * vs[p][c + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) atomicAdd(&la_state[blockIdx.y * 4096 + (r + i) * 64 + c + j], acc[i][j] * 0.015625f);
}
__global__ void __launch_bounds__(256) la_queries(const __nv_bfloat16* q, __nv_bfloat16* out, int len) {
    __shared__ float qs[64][65], kv[64][64];
    int t = threadIdx.x, r = t / 16 * 4, c = t % 16 * 4;
    size_t base = ((size_t)blockIdx.y * len + blockIdx.x * 64) * 64;
    for (int i = t; i < 4096; i += 256) {
        qs[i / 64][i % 64] = __bfloat162float(q[base + i]);
        kv[i / 64][i % 64] = la_state[blockIdx.y * 4096 + i];
    }
    __syncthreads();
    float acc[4][4] = {};
    for (int p = 0; p < 64; ++p)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) acc[i][j] += qs[r + i][p] * kv[p][c + j];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) out[base + (r + i) * 64 + c + j] = __float2bfloat16(acc[i][j]);
}
extern "C" void linear_attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* out, int heads, int len, cudaStream_t stream) {
    static void* state = nullptr;
    if (!state) cudaGetSymbolAddress(&state, la_state);
    cudaMemsetAsync(state, 0, (size_t)heads * 4096 * 4, stream);
    la_keys<<<dim3(len / 256, heads), 256, 0, stream>>>(k, v, len);
    la_queries<<<dim3(len / 64, heads), 256, 0, stream>>>(q, out, len);
}
