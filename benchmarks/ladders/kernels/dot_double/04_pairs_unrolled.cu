// kernelwright: task=../../tasks/dot_double.py entry=dot_double args="x, y, out, x.shape[0]"
// 1056 blocks, two elements a load, four loads of each vector at once
#include <cuda_runtime.h>

__global__ void dd_pairs(const double2* x, const double2* y, double* out, int n2) {
    __shared__ double s[8];
    double v = 0.0;
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n2; i += gridDim.x * 256) {
        double2 a = x[i], b = y[i];
        v += a.x * b.x + a.y * b.y;
    }
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    v = threadIdx.x < 8 ? s[threadIdx.x] : 0.0;
    for (int o = 4; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0) atomicAdd(out, v);
}
extern "C" void dot_double(const double* x, const double* y, double* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 8, stream);
    dd_pairs<<<1056, 256, 0, stream>>>((const double2*)x, (const double2*)y, out, n / 2);
}
