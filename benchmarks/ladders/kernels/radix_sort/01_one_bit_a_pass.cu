// kernelwright: task=../../tasks/radix_sort.py entry=radix_sort args="x, out, x.shape[0]"
// 31 passes of one bit: zeros counted a block, the counts added up by one block, stable places
#include <cuda_runtime.h>

__device__ int r1_other[1 << 20], r1_zeros[4097];

__global__ void r1_count(const int* x, int bit) {
    int z = __syncthreads_count(!(x[blockIdx.x * 256 + threadIdx.x] >> bit & 1));
    if (threadIdx.x == 0) r1_zeros[blockIdx.x] = z;
}
__global__ void r1_scan(int blocks) {
    __shared__ int s[1024];
    int t = threadIdx.x, each = (blocks + 1023) / 1024, sum = 0;
    for (int i = t * each; i < min(blocks, (t + 1) * each); ++i) sum += r1_zeros[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    int run = s[t] - sum;
    for (int i = t * each; i < min(blocks, (t + 1) * each); ++i) {
        int v = r1_zeros[i];
        r1_zeros[i] = run;
        run += v;
    }
    if (t == 1023) r1_zeros[blocks] = s[1023];
}
__global__ void r1_place(const int* from, int* to, int bit, int blocks) {
    __shared__ int warps[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, v = from[i], one = v >> bit & 1;
    unsigned zeros = __ballot_sync(~0u, !one);
    if (t % 32 == 0) warps[t / 32] = __popc(zeros);
    __syncthreads();
    int before = __popc(zeros & ((1u << t % 32) - 1));
    for (int w = 0; w < t / 32; ++w) before += warps[w];
    int z = r1_zeros[blockIdx.x] + before;
    to[one ? r1_zeros[blocks] + i - z : z] = v;
}
extern "C" void radix_sort(const int* x, int* out, int n, cudaStream_t stream) {
    static int* other = nullptr;
    if (!other) cudaGetSymbolAddress((void**)&other, r1_other);
    const int* from = x;
    for (int p = 0; p < 31; ++p) {
        int* to = (31 - p) % 2 ? out : other;
        r1_count<<<n / 256, 256, 0, stream>>>(from, p);
        r1_scan<<<1, 1024, 0, stream>>>(n / 256);
        r1_place<<<n / 256, 256, 0, stream>>>(from, to, p, n / 256);
        from = to;
    }
}
