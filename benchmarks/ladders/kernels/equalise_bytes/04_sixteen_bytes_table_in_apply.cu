// kernelwright: task=../../tasks/equalise_bytes.py entry=equalise args="image, out, image.shape[0]"
// sixteen bytes a load; every block of the last launch makes the table itself: one launch less, a memset more
#include <cuda_runtime.h>

__device__ int hist[256];

__device__ __forceinline__ void four(int* h, unsigned w) {
    atomicAdd(&h[w & 255], 1);
    atomicAdd(&h[w >> 8 & 255], 1);
    atomicAdd(&h[w >> 16 & 255], 1);
    atomicAdd(&h[w >> 24], 1);
}

__global__ void __launch_bounds__(256) count(const unsigned char* __restrict__ img, int n) {
    __shared__ int h[8][257];
    for (int i = threadIdx.x; i < 8 * 257; i += 256) (&h[0][0])[i] = 0;
    __syncthreads();
    int* mine = h[threadIdx.x / 32];
    int quads = n / 16;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        uint4 v = __ldg((const uint4*)img + i);
        four(mine, v.x);
        four(mine, v.y);
        four(mine, v.z);
        four(mine, v.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 16) atomicAdd(&mine[img[quads * 16 + threadIdx.x]], 1);
    __syncthreads();
    int s = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) s += h[w][threadIdx.x];
    if (s) atomicAdd(&hist[threadIdx.x], s);
}

__device__ __forceinline__ unsigned look(const unsigned char* map, unsigned w) {
    return map[w & 255] | map[w >> 8 & 255] << 8 | map[w >> 16 & 255] << 16 | (unsigned)map[w >> 24] << 24;
}

__global__ void __launch_bounds__(256) apply(const unsigned char* __restrict__ img, unsigned char* __restrict__ out, int n) {
    __shared__ unsigned char map[256];
    __shared__ int sums[8];
    __shared__ int first;
    int t = threadIdx.x, lane = t % 32, mine = hist[t], cum = mine;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        int u = __shfl_up_sync(0xffffffff, cum, o);
        if (lane >= o) cum += u;
    }
    if (lane == 31) sums[t / 32] = cum;
    __syncthreads();
    for (int w = 0; w < t / 32; w++) cum += sums[w];
    if (mine > 0 && cum == mine) first = mine;
    __syncthreads();
    long long above = cum - first, room = max(n - first, 1);
    map[t] = above > 0 ? (unsigned char)((above * 255 + room / 2) / room) : 0;
    __syncthreads();
    int quads = n / 16;
    for (int i = blockIdx.x * 256 + t; i < quads; i += gridDim.x * 256) {
        uint4 v = __ldg((const uint4*)img + i);
        ((uint4*)out)[i] = make_uint4(look(map, v.x), look(map, v.y), look(map, v.z), look(map, v.w));
    }
    if (blockIdx.x == 0 && t < n % 16) out[quads * 16 + t] = map[img[quads * 16 + t]];
}

extern "C" void equalise(const unsigned char* image, unsigned char* out, int n, cudaStream_t stream) {
    void* h;
    cudaGetSymbolAddress(&h, hist);
    cudaMemsetAsync(h, 0, 256 * sizeof(int), stream);
    count<<<528, 256, 0, stream>>>(image, n);
    apply<<<528, 256, 0, stream>>>(image, out, n);
}
