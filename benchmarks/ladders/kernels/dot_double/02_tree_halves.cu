// kernelwright: task=../../tasks/dot_double.py entry=dot_double args="x, y, out, x.shape[0]"
// an element a thread, a tree of halves, a double added atomically a block
#include <cuda_runtime.h>

__global__ void dd_halves(const double* x, const double* y, double* out, int n) {
    __shared__ double s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] * y[i] : 0.0;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
extern "C" void dot_double(const double* x, const double* y, double* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 8, stream);
    dd_halves<<<(n + 255) / 256, 256, 0, stream>>>(x, y, out, n);
}
