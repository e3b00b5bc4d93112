// kernelwright: task=../../tasks/moe_dispatch.py entry=moe_dispatch args="logits, x, out, x.shape[0], x.shape[1]"
// counts of 256 tokens each, a scan of them, ranks inside the block; a block a row for the copy
#include <cuda_fp16.h>

__device__ int expert[65536], order[65536], counts[8192];
__global__ void md_count(const float4* __restrict__ logits, int tokens) {
    __shared__ int bins[32];
    int i = threadIdx.x, t = blockIdx.x * 256 + i;
    if (i < 32) bins[i] = 0;
    __syncthreads();
    if (t < tokens) {
        float top = -INFINITY;
        int best = 0;
        for (int q = 0; q < 8; ++q) {
            float4 v = logits[t * 8 + q];
            if (v.x > top) top = v.x, best = 4 * q;
            if (v.y > top) top = v.y, best = 4 * q + 1;
            if (v.z > top) top = v.z, best = 4 * q + 2;
            if (v.w > top) top = v.w, best = 4 * q + 3;
        }
        expert[t] = best;
        atomicAdd(bins + best, 1);
    }
    __syncthreads();
    if (i < 32) counts[i * gridDim.x + blockIdx.x] = bins[i];
}
__global__ void md_scan(int n) {
    __shared__ int s[1024];
    int t = threadIdx.x, each = (n + 1023) / 1024, sum = 0;
    for (int k = 0; k < each; ++k)
        if (t * each + k < n) sum += counts[t * each + k];
    s[t] = sum;
    __syncthreads();
    for (int o = 1; o < 1024; o *= 2) {
        int v = t >= o ? s[t - o] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    int at = s[t] - sum;
    for (int k = 0; k < each; ++k)
        if (t * each + k < n) {
            int v = counts[t * each + k];
            counts[t * each + k] = at;
            at += v;
        }
}
__global__ void md_rank(int tokens) {
    __shared__ int mine[256];
    int i = threadIdx.x, t = blockIdx.x * 256 + i;
    mine[i] = t < tokens ? expert[t] : -1;
    __syncthreads();
    if (t >= tokens) return;
    int rank = 0;
    for (int k = 0; k < i; ++k) rank += mine[k] == mine[i];
    order[counts[mine[i] * gridDim.x + blockIdx.x] + rank] = t;
}
__global__ void md_copy(const __half* __restrict__ x, __half* __restrict__ out, int width) {
    size_t to = (size_t)blockIdx.x * width, from = (size_t)order[blockIdx.x] * width;
    for (int c = threadIdx.x; c < width; c += blockDim.x) out[to + c] = x[from + c];
}
extern "C" void moe_dispatch(const float* logits, const __half* x, __half* out, int tokens, int width, cudaStream_t stream) {
    int blocks = (tokens + 255) / 256;
    md_count<<<blocks, 256, 0, stream>>>((const float4*)logits, tokens);
    md_scan<<<1, 1024, 0, stream>>>(32 * blocks);
    md_rank<<<blocks, 256, 0, stream>>>(tokens);
    md_copy<<<tokens, 256, 0, stream>>>(x, out, width);
}
