// kernelwright: task=../../tasks/moe_dispatch.py entry=moe_dispatch args="logits, x, out, x.shape[0], x.shape[1]"
// ranks by lanes that match, found with the best expert; a warp a row in pieces of 16 bytes
#include <cuda_fp16.h>

__device__ int place[65536], counts[8192];
__global__ void md_best(const float4* __restrict__ logits, int tokens) {
    __shared__ int bins[8][32];
    int i = threadIdx.x, w = i / 32, lane = i % 32, t = blockIdx.x * 256 + i;
    bins[w][lane] = 0;
    float top = -INFINITY;
    int best = 32;
    if (t < tokens)
        for (int q = 0; q < 8; ++q) {
            float4 v = logits[t * 8 + q];
            if (v.x > top) top = v.x, best = 4 * q;
            if (v.y > top) top = v.y, best = 4 * q + 1;
            if (v.z > top) top = v.z, best = 4 * q + 2;
            if (v.w > top) top = v.w, best = 4 * q + 3;
        }
    unsigned same = __match_any_sync(~0u, best);
    int rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0 && best < 32) bins[w][best] = __popc(same);
    __syncthreads();
    if (i < 32) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) {
            int v = bins[k][i];
            bins[k][i] = sum;
            sum += v;
        }
        counts[i * gridDim.x + blockIdx.x] = sum;
    }
    __syncthreads();
    if (t < tokens) place[t] = best << 16 | (bins[w][best] + rank);
}
__global__ void md_scan(int n) {
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t % 32, each = (n + 1023) / 1024, sum = 0;
    for (int k = 0; k < each; ++k)
        if (t * each + k < n) sum += counts[t * each + k];
    int upto = sum;
    for (int o = 1; o < 32; o *= 2) {
        int v = __shfl_up_sync(~0u, upto, o);
        if (lane >= o) upto += v;
    }
    if (lane == 31) sums[t / 32] = upto;
    __syncthreads();
    if (t < 32) {
        int v = sums[t], all = v;
        for (int o = 1; o < 32; o *= 2) {
            int u = __shfl_up_sync(~0u, all, o);
            if (t >= o) all += u;
        }
        sums[t] = all - v;
    }
    __syncthreads();
    int at = sums[t / 32] + upto - sum;
    for (int k = 0; k < each; ++k)
        if (t * each + k < n) {
            int v = counts[t * each + k];
            counts[t * each + k] = at;
            at += v;
        }
}
__global__ void md_copy(const uint4* __restrict__ x, uint4* __restrict__ out, int tokens, int width, int blocks) {
    int t = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (t >= tokens) return;
    int p = place[t], to = counts[(p >> 16) * blocks + t / 256] + (p & 65535);
#pragma unroll 4
    for (int c = lane; c < width; c += 32) out[(size_t)to * width + c] = x[(size_t)t * width + c];
}
extern "C" void moe_dispatch(const float* logits, const __half* x, __half* out, int tokens, int width, cudaStream_t stream) {
    int blocks = (tokens + 255) / 256;
    md_best<<<blocks, 256, 0, stream>>>((const float4*)logits, tokens);
    md_scan<<<1, 1024, 0, stream>>>(32 * blocks);
    md_copy<<<(tokens + 7) / 8, 256, 0, stream>>>((const uint4*)x, (uint4*)out, tokens, width / 8, blocks);
}
