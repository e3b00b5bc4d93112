// kernelwright: task=../../tasks/equalise_bytes.py entry=equalise args="image, out, image.shape[0]"
// four bytes a load, a histogram a warp, the table by 256 threads, the map from shared memory
#include <cuda_runtime.h>

__device__ int hist[256];
__device__ unsigned char table[256];

__global__ void __launch_bounds__(256) count(const unsigned char* __restrict__ img, int n) {
    __shared__ int h[8][256];
    for (int i = threadIdx.x; i < 2048; i += 256) (&h[0][0])[i] = 0;
    __syncthreads();
    int* mine = h[threadIdx.x / 32];
    int words = n / 4;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
        uchar4 v = ((const uchar4*)img)[i];
        atomicAdd(&mine[v.x], 1);
        atomicAdd(&mine[v.y], 1);
        atomicAdd(&mine[v.z], 1);
        atomicAdd(&mine[v.w], 1);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) atomicAdd(&mine[img[words * 4 + threadIdx.x]], 1);
    __syncthreads();
    int s = 0;
    for (int w = 0; w < 8; w++) s += h[w][threadIdx.x];
    if (s) atomicAdd(&hist[threadIdx.x], s);
}

__global__ void make_table(int n) {
    __shared__ int cum[256];
    __shared__ int first;
    int t = threadIdx.x, mine = hist[t];
    cum[t] = mine;
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        int v = t >= o ? cum[t - o] : 0;
        __syncthreads();
        cum[t] += v;
        __syncthreads();
    }
    if (mine > 0 && cum[t] == mine) first = mine;
    __syncthreads();
    long long above = cum[t] - first, room = max(n - first, 1);
    table[t] = above > 0 ? (unsigned char)((above * 255 + room / 2) / room) : 0;
    hist[t] = 0;
}

__global__ void __launch_bounds__(256) apply(const unsigned char* __restrict__ img, unsigned char* __restrict__ out, int n) {
    __shared__ unsigned char map[256];
    map[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int words = n / 4;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
        uchar4 v = ((const uchar4*)img)[i];
        ((uchar4*)out)[i] = make_uchar4(map[v.x], map[v.y], map[v.z], map[v.w]);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) out[words * 4 + threadIdx.x] = map[img[words * 4 + threadIdx.x]];
}

extern "C" void equalise(const unsigned char* image, unsigned char* out, int n, cudaStream_t stream) {
    count<<<528, 256, 0, stream>>>(image, n);
    make_table<<<1, 256, 0, stream>>>(n);
    apply<<<1056, 256, 0, stream>>>(image, out, n);
}
