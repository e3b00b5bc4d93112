// kernelwright: task=../../tasks/sort_rows.py entry=sort_rows args="x, out, x.numel()"
// a block of 1024 a row, a value a thread: shuffles below 32, shared memory above
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) so_shuffle(const float* x, float* out) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    float v = x[(size_t)blockIdx.x * 1024 + t];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            float o;
            if (j >= 32) {
                __syncthreads();
                s[t] = v;
                __syncthreads();
                o = s[t ^ j];
            } else {
                o = __shfl_xor_sync(~0u, v, j);
            }
            v = ((t & j) == 0) == ((t & k) == 0) ? fminf(v, o) : fmaxf(v, o);
        }
    out[(size_t)blockIdx.x * 1024 + t] = v;
}
extern "C" void sort_rows(const float* x, float* out, int n, cudaStream_t stream) {
    so_shuffle<<<n / 1024, 1024, 0, stream>>>(x, out);
}
