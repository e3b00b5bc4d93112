// kernelwright: task=../../tasks/radix_sort.py entry=radix_sort args="x, out, x.shape[0]"
// eight passes of four bits; a block ranks 1024 keys by counters a thread in shared memory
#include <cuda_runtime.h>

__device__ int r4_other[1 << 20], r4_count[16 * 1024];

__global__ void __launch_bounds__(256) r4_histogram(const int* __restrict__ x, int shift) {
    __shared__ int h[16];
    int t = threadIdx.x;
    if (t < 16) h[t] = 0;
    __syncthreads();
    for (int i = 0; i < 4; ++i) atomicAdd(&h[x[blockIdx.x * 1024 + i * 256 + t] >> shift & 15], 1);
    __syncthreads();
    if (t < 16) r4_count[t * gridDim.x + blockIdx.x] = h[t];
}
__global__ void __launch_bounds__(1024) r4_scan(int n) {
    __shared__ int s[1024];
    int t = threadIdx.x, each = (n + 1023) / 1024, sum = 0;
    for (int i = t * each; i < min(n, (t + 1) * each); ++i) sum += r4_count[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    int run = s[t] - sum;
    for (int i = t * each; i < min(n, (t + 1) * each); ++i) {
        int v = r4_count[i];
        r4_count[i] = run;
        run += v;
    }
}
__global__ void __launch_bounds__(256) r4_place(const int* __restrict__ from, int* __restrict__ to, int shift) {
    __shared__ int c[16 * 256], part[256];
    int t = threadIdx.x;
    int4 k = ((const int4*)from)[blockIdx.x * 256 + t];
    int key[4] = {k.x, k.y, k.z, k.w};
    for (int d = 0; d < 16; ++d) c[d * 256 + t] = 0;
    for (int i = 0; i < 4; ++i) ++c[(key[i] >> shift & 15) * 256 + t];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += c[t * 16 + i];
    part[t] = sum;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = t >= d ? part[t - d] : 0;
        __syncthreads();
        part[t] += v;
        __syncthreads();
    }
    int run = part[t] - sum;
    for (int i = 0; i < 16; ++i) {
        int v = c[t * 16 + i];
        c[t * 16 + i] = run;
        run += v;
    }
    __syncthreads();
    __shared__ int first[16];
    if (t < 16) first[t] = c[t * 256];
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
        int d = key[i] >> shift & 15;
        to[r4_count[d * gridDim.x + blockIdx.x] + c[d * 256 + t]++ - first[d]] = key[i];
    }
}
extern "C" void radix_sort(const int* x, int* out, int n, cudaStream_t stream) {
    static int* other = nullptr;
    if (!other) cudaGetSymbolAddress((void**)&other, r4_other);
    const int* from = x;
    for (int p = 0; p < 8; ++p) {
        int* to = (8 - p) % 2 ? out : other;
        r4_histogram<<<n / 1024, 256, 0, stream>>>(from, p * 4);
        r4_scan<<<1, 1024, 0, stream>>>(16 * (n / 1024));
        r4_place<<<n / 1024, 256, 0, stream>>>(from, to, p * 4);
        from = to;
    }
}
