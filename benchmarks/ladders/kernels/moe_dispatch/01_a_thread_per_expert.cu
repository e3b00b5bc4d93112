// kernelwright: task=../../tasks/moe_dispatch.py entry=moe_dispatch args="logits, x, out, x.shape[0], x.shape[1]"
// the order by 32 threads that walk through all tokens, a block a row for the copy
#include <cuda_fp16.h>

__device__ int expert[65536], order[65536];
__global__ void md_best(const float* logits, int tokens) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens) return;
    int best = 0;
    for (int e = 1; e < 32; ++e)
        if (logits[t * 32 + e] > logits[t * 32 + best]) best = e;
    expert[t] = best;
}
__global__ void md_order(int tokens) {
    int e = threadIdx.x, count = 0;
    for (int t = 0; t < tokens; ++t) count += expert[t] == e;
    int upto = count;
    for (int o = 1; o < 32; o *= 2) {
        int v = __shfl_up_sync(~0u, upto, o);
        if (e >= o) upto += v;
    }
    int at = upto - count;
    for (int t = 0; t < tokens; ++t)
        if (expert[t] == e) order[at++] = t;
}
__global__ void md_copy(const __half* x, __half* out, int width) {
    size_t to = (size_t)blockIdx.x * width, from = (size_t)order[blockIdx.x] * width;
    for (int c = threadIdx.x; c < width; c += blockDim.x) out[to + c] = x[from + c];
}
extern "C" void moe_dispatch(const float* logits, const __half* x, __half* out, int tokens, int width, cudaStream_t stream) {
    md_best<<<(tokens + 255) / 256, 256, 0, stream>>>(logits, tokens);
    md_order<<<1, 32, 0, stream>>>(tokens);
    md_copy<<<tokens, 256, 0, stream>>>(x, out, width);
}
