// kernelwright: task=../../tasks/equalise_bytes.py entry=equalise args="image, out, image.shape[0]"
// a histogram a block in shared memory, 528 blocks; the table still by one thread
#include <cuda_runtime.h>

__device__ int hist[256];
__device__ unsigned char table[256];

__global__ void clear_hist() { hist[threadIdx.x] = 0; }

__global__ void count(const unsigned char* __restrict__ img, int n) {
    __shared__ int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[img[i]], 1);
    __syncthreads();
    if (h[threadIdx.x]) atomicAdd(&hist[threadIdx.x], h[threadIdx.x]);
}

__global__ void make_table(int n) {
    int first = 0;
    long long run = 0;
    for (int v = 0; v < 256; v++) {
        run += hist[v];
        if (first == 0) first = (int)run;
        long long room = n - first > 0 ? n - first : 1;
        table[v] = run > first ? (unsigned char)(((run - first) * 255 + room / 2) / room) : 0;
    }
}

__global__ void apply(const unsigned char* __restrict__ img, unsigned char* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[img[i]];
}

extern "C" void equalise(const unsigned char* image, unsigned char* out, int n, cudaStream_t stream) {
    clear_hist<<<1, 256, 0, stream>>>();
    count<<<528, 256, 0, stream>>>(image, n);
    make_table<<<1, 1, 0, stream>>>(n);
    apply<<<(n + 255) / 256, 256, 0, stream>>>(image, out, n);
}
