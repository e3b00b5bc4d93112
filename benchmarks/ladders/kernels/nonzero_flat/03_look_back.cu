// kernelwright: task=../../tasks/nonzero_flat.py entry=nonzero args="x, out, x.shape[0]"
// one pass: every block looks back at the counts of those before it until one knows its whole sum
#include <cuda_runtime.h>

__device__ unsigned long long nl_state[1 << 11];
__device__ unsigned nl_ticket;

__global__ void nl_reset(int blocks) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < blocks) nl_state[i] = 0;
    if (i == 0) nl_ticket = 0;
}
__global__ void __launch_bounds__(256) nl_places(const float* __restrict__ x, int* __restrict__ out) {
    __shared__ int s[8], start;
    __shared__ unsigned ticket;
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    if (t == 0) ticket = atomicAdd(&nl_ticket, 1u);
    __syncthreads();
    int block = ticket, first = block * 2048 + w * 256;
    unsigned bits[8];
    int mine = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        bits[k] = __ballot_sync(~0u, x[first + k * 32 + lane] > 0.f);
        mine += __popc(bits[k]);
    }
    if (lane == 0) s[w] = mine;
    __syncthreads();
    if (t == 0) {
        int total = 0, before = 0;
        for (int i = 0; i < 8; ++i) total += s[i];
        volatile unsigned long long* state = nl_state;
        if (block) state[block] = 1ull << 32 | (unsigned)total;
        for (int b = block - 1; b >= 0; --b) {
            unsigned long long v;
            do v = state[b];
            while (!(v >> 32));
            before += (int)(unsigned)v;
            if (v >> 32 == 2) break;
        }
        state[block] = 2ull << 32 | (unsigned)(before + total);
        start = before;
    }
    __syncthreads();
    int at = start;
    for (int i = 0; i < w; ++i) at += s[i];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (bits[k] >> lane & 1) out[at + __popc(bits[k] & ((1u << lane) - 1))] = first + k * 32 + lane;
        at += __popc(bits[k]);
    }
}
extern "C" void nonzero(const float* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0xff, (size_t)n * 4, stream);
    nl_reset<<<(n / 2048 + 255) / 256, 256, 0, stream>>>(n / 2048);
    nl_places<<<n / 2048, 256, 0, stream>>>(x, out);
}
