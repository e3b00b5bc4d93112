// kernelwright: task=../../tasks/sort_rows.py entry=sort_rows args="x, out, x.numel()"
// a block of 1024 a row in shared memory, half of the threads work in each stage
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) so_thread(const float* x, float* out) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = x[(size_t)blockIdx.x * 1024 + t];
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int p = t ^ j;
            if (p > t) {
                float a = s[t], b = s[p];
                if ((a > b) == ((t & k) == 0)) { s[t] = b; s[p] = a; }
            }
            __syncthreads();
        }
    out[(size_t)blockIdx.x * 1024 + t] = s[t];
}
extern "C" void sort_rows(const float* x, float* out, int n, cudaStream_t stream) {
    so_thread<<<n / 1024, 1024, 0, stream>>>(x, out);
}
