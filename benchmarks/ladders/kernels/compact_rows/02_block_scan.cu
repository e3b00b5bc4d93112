// kernelwright: task=../../tasks/compact_rows.py entry=compact_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 1024 a row, places by a scan of Hillis and Steele in shared memory
#include <cuda_runtime.h>

__global__ void cr_scan(const float* x, float* out, int d) {
    __shared__ int s[1024];
    int i = threadIdx.x;
    float v = x[(size_t)blockIdx.x * d + i];
    s[i] = v > 0.f;
    __syncthreads();
    for (int o = 1; o < 1024; o *= 2) {
        int u = i >= o ? s[i - o] : 0;
        __syncthreads();
        s[i] += u;
        __syncthreads();
    }
    int n = s[1023];
    if (v > 0.f) out[(size_t)blockIdx.x * d + s[i] - 1] = v;
    if (i >= n) out[(size_t)blockIdx.x * d + i] = 0.f;
}
extern "C" void compact_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    cr_scan<<<rows, 1024, 0, stream>>>(x, out, d);
}
