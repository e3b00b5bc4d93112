// kernelwright: task=../../tasks/graph_max_half.py entry=graph_max args="x, start, near, out, x.shape[0]"
// a warp a node, eight lanes a row by 16 bytes, four rows at once, joined by shuffles
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned gm_max(unsigned a, unsigned b) {
    __half2 m = __hmax2(*(__half2*)&a, *(__half2*)&b);
    return *(unsigned*)&m;
}
__global__ void __launch_bounds__(256) gm_rows(const uint4* __restrict__ x, const int* __restrict__ start, const int* __restrict__ near, uint4* __restrict__ out, int n) {
    int v = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (v >= n) return;
    int last = start[v + 1];
    const unsigned low = 0xfc00fc00u;
    uint4 m = make_uint4(low, low, low, low);
#pragma unroll 2
    for (int e = start[v] + lane / 8; e < last; e += 4) {
        uint4 q = x[near[e] * 8 + lane % 8];
        m = make_uint4(gm_max(m.x, q.x), gm_max(m.y, q.y), gm_max(m.z, q.z), gm_max(m.w, q.w));
    }
    __syncwarp();
#pragma unroll
    for (int o = 8; o < 32; o *= 2) {
        m.x = gm_max(m.x, __shfl_xor_sync(~0u, m.x, o));
        m.y = gm_max(m.y, __shfl_xor_sync(~0u, m.y, o));
        m.z = gm_max(m.z, __shfl_xor_sync(~0u, m.z, o));
        m.w = gm_max(m.w, __shfl_xor_sync(~0u, m.w, o));
    }
    if (lane < 8) out[v * 8 + lane] = m;
}
extern "C" void graph_max(const __half* x, const int* start, const int* near, __half* out, int n, cudaStream_t stream) {
    gm_rows<<<(n + 7) / 8, 256, 0, stream>>>((const uint4*)x, start, near, (uint4*)out, n);
}
