// kernelwright: task=../../tasks/scan_rows.py entry=scan_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 1024 a row of 2048: up and down a tree in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) sr_tree(const float* x, float* out, int d) {
    __shared__ float s[2048];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * d;
    s[t] = x[row + t];
    s[t + 1024] = x[row + t + 1024];
    int o = 1;
    for (int n = 1024; n; n /= 2, o *= 2) {
        __syncthreads();
        if (t < n) s[o * (2 * t + 2) - 1] += s[o * (2 * t + 1) - 1];
    }
    __syncthreads();
    if (t == 0) s[2047] = 0.f;
    for (int n = 1; n < 2048; n *= 2) {
        o /= 2;
        __syncthreads();
        if (t < n) {
            float v = s[o * (2 * t + 1) - 1];
            s[o * (2 * t + 1) - 1] = s[o * (2 * t + 2) - 1];
            s[o * (2 * t + 2) - 1] += v;
        }
    }
    __syncthreads();
    out[row + t] = s[t] + x[row + t];
    out[row + t + 1024] = s[t + 1024] + x[row + t + 1024];
}
extern "C" void scan_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    sr_tree<<<rows, 1024, 0, stream>>>(x, out, d);
}
