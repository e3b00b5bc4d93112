// kernelwright: task=../../tasks/radix_sort.py entry=radix_sort args="x, out, x.shape[0]"
// four passes of eight bits; a warp ranks 512 keys of its own by match_any, the scan is split over the digits
#include <cuda_runtime.h>

__device__ int r8_other[1 << 20], r8_count[256 * 256], r8_total[256];

__global__ void __launch_bounds__(256) r8_histogram(const int4* __restrict__ x, int shift) {
    __shared__ int h[256];
    int t = threadIdx.x;
    h[t] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int4 k = x[blockIdx.x * 1024 + i * 256 + t];
        atomicAdd(&h[k.x >> shift & 255], 1);
        atomicAdd(&h[k.y >> shift & 255], 1);
        atomicAdd(&h[k.z >> shift & 255], 1);
        atomicAdd(&h[k.w >> shift & 255], 1);
    }
    __syncthreads();
    r8_count[t * gridDim.x + blockIdx.x] = h[t];
}
__global__ void __launch_bounds__(256) r8_scan(int blocks) {
    __shared__ int w[8];
    int t = threadIdx.x, v = t < blocks ? r8_count[blockIdx.x * blocks + t] : 0, s = v;
    for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(~0u, s, d);
        if (t % 32 >= d) s += o;
    }
    if (t % 32 == 31) w[t / 32] = s;
    __syncthreads();
    for (int i = 0; i < t / 32; ++i) s += w[i];
    if (t < blocks) r8_count[blockIdx.x * blocks + t] = s - v;
    if (t == 255) r8_total[blockIdx.x] = s;
}
__global__ void __launch_bounds__(256) r8_place(const int* __restrict__ from, int* __restrict__ to, int shift) {
    __shared__ int h[8][256], w[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, key[16], rank[16];
    for (int i = 0; i < 8; ++i) h[i][t] = 0;
    __syncthreads();
    const int* mine = from + blockIdx.x * 4096 + warp * 512;
#pragma unroll
    for (int i = 0; i < 16; ++i) key[i] = mine[i * 32 + lane];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        int d = key[i] >> shift & 255;
        unsigned same = __match_any_sync(~0u, d);
        int before = __popc(same & ((1u << lane) - 1));
        rank[i] = h[warp][d] + before;
        __syncwarp();
        if (before == 0) h[warp][d] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    int all = r8_total[t], s = all;
    for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += o;
    }
    if (lane == 31) w[warp] = s;
    __syncthreads();
    for (int i = 0; i < warp; ++i) s += w[i];
    int run = s - all + r8_count[t * gridDim.x + blockIdx.x];
    for (int i = 0; i < 8; ++i) {
        int v = h[i][t];
        h[i][t] = run;
        run += v;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) to[h[warp][key[i] >> shift & 255] + rank[i]] = key[i];
}
extern "C" void radix_sort(const int* x, int* out, int n, cudaStream_t stream) {
    static int* other = nullptr;
    if (!other) cudaGetSymbolAddress((void**)&other, r8_other);
    const int* from = x;
    for (int p = 0; p < 4; ++p) {
        int* to = p % 2 ? out : other;
        r8_histogram<<<n / 4096, 256, 0, stream>>>((const int4*)from, p * 8);
        r8_scan<<<256, 256, 0, stream>>>(n / 4096);
        r8_place<<<n / 4096, 256, 0, stream>>>(from, to, p * 8);
        from = to;
    }
}
