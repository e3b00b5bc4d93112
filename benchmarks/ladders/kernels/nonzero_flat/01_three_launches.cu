// kernelwright: task=../../tasks/nonzero_flat.py entry=nonzero args="x, out, x.shape[0]"
// counts of blocks of 256, a scan of the counts by one block, then a scan in every block and the places
#include <cuda_runtime.h>

__device__ int nz_count[1 << 14], nz_start[1 << 14];

__global__ void nz_counts(const float* x) {
    int n = __syncthreads_count(x[blockIdx.x * 256 + threadIdx.x] > 0.0f);
    if (threadIdx.x == 0) nz_count[blockIdx.x] = n;
}
__global__ void nz_scan(int blocks) {
    __shared__ int s[1024];
    int t = threadIdx.x, per = (blocks + 1023) / 1024, sum = 0;
    for (int i = t * per; i < min(t * per + per, blocks); ++i) sum += nz_count[i];
    s[t] = sum;
    __syncthreads();
    for (int o = 1; o < 1024; o *= 2) {
        int v = t >= o ? s[t - o] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    int before = s[t] - sum;
    for (int i = t * per; i < min(t * per + per, blocks); ++i) {
        nz_start[i] = before;
        before += nz_count[i];
    }
}
__global__ void nz_places(const float* x, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, hit = x[i] > 0.0f;
    s[t] = hit;
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        int v = t >= o ? s[t - o] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (hit) out[nz_start[blockIdx.x] + s[t] - 1] = i;
}
extern "C" void nonzero(const float* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0xff, (size_t)n * 4, stream);
    nz_counts<<<n / 256, 256, 0, stream>>>(x);
    nz_scan<<<1, 1024, 0, stream>>>(n / 256);
    nz_places<<<n / 256, 256, 0, stream>>>(x, out);
}
