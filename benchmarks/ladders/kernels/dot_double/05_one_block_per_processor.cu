// kernelwright: task=../../tasks/dot_double.py entry=dot_double args="x, y, out, x.shape[0]"
// 132 blocks of 256, two elements a load
#include <cuda_runtime.h>

__global__ void dd_few(const double2* x, const double2* y, double* out, int n2) {
    __shared__ double s[8];
    double v = 0.0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n2; i += gridDim.x * 256) v += x[i].x * y[i].x + x[i].y * y[i].y;
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x) return;
    for (int j = 1; j < 8; ++j) v += s[j];
    atomicAdd(out, v);
}
extern "C" void dot_double(const double* x, const double* y, double* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 8, stream);
    dd_few<<<132, 256, 0, stream>>>((const double2*)x, (const double2*)y, out, n / 2);
}
