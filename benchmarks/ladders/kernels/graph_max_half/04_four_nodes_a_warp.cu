// kernelwright: task=../../tasks/graph_max_half.py entry=graph_max args="x, start, near, out, x.shape[0]"
// eight lanes a node by 16 bytes, four neighbours ahead: four nodes a warp of different lengths
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned gm_max(unsigned a, unsigned b) {
    __half2 m = __hmax2(*(__half2*)&a, *(__half2*)&b);
    return *(unsigned*)&m;
}
__device__ __forceinline__ uint4 gm_max4(uint4 a, uint4 b) { return make_uint4(gm_max(a.x, b.x), gm_max(a.y, b.y), gm_max(a.z, b.z), gm_max(a.w, b.w)); }
__global__ void __launch_bounds__(128) gm_nodes(const uint4* __restrict__ x, const int* __restrict__ start, const int* __restrict__ near, uint4* __restrict__ out, int n) {
    int v = blockIdx.x * 16 + threadIdx.x / 8, f = threadIdx.x % 8;
    if (v >= n) return;
    int e = start[v], last = start[v + 1];
    const unsigned low = 0xfc00fc00u;
    uint4 m = make_uint4(low, low, low, low);
    for (; e + 4 <= last; e += 4) {
        uint4 a = x[near[e] * 8 + f], b = x[near[e + 1] * 8 + f], c = x[near[e + 2] * 8 + f], d = x[near[e + 3] * 8 + f];
        m = gm_max4(m, gm_max4(gm_max4(a, b), gm_max4(c, d)));
    }
    for (; e < last; ++e) m = gm_max4(m, x[near[e] * 8 + f]);
    out[v * 8 + f] = m;
}
extern "C" void graph_max(const __half* x, const int* start, const int* near, __half* out, int n, cudaStream_t stream) {
    gm_nodes<<<(n + 15) / 16, 128, 0, stream>>>((const uint4*)x, start, near, (uint4*)out, n);
}
