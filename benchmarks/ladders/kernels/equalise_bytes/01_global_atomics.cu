// kernelwright: task=../../tasks/equalise_bytes.py entry=equalise args="image, out, image.shape[0]"
// histogram straight into global memory, the table by one thread
#include <cuda_runtime.h>

__device__ int hist[256];
__device__ unsigned char table[256];

__global__ void clear_hist() { hist[threadIdx.x] = 0; }

__global__ void count(const unsigned char* img, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&hist[img[i]], 1);
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

__global__ void apply(const unsigned char* img, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[img[i]];
}

extern "C" void equalise(const unsigned char* image, unsigned char* out, int n, cudaStream_t stream) {
    int blocks = (n + 255) / 256;
    clear_hist<<<1, 256, 0, stream>>>();
    count<<<blocks, 256, 0, stream>>>(image, n);
    make_table<<<1, 1, 0, stream>>>(n);
    apply<<<blocks, 256, 0, stream>>>(image, out, n);
}
