// kernelwright: task=../../tasks/sort_rows.py entry=sort_rows args="x, out, x.numel()"
// a block of 512 a row in shared memory, a pair a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) so_pair(const float* x, float* out) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = x[(size_t)blockIdx.x * 1024 + t];
    s[t + 512] = x[(size_t)blockIdx.x * 1024 + t + 512];
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int low = 2 * t - (t & (j - 1)), high = low + j;
            float a = s[low], b = s[high];
            if ((a > b) == ((low & k) == 0)) { s[low] = b; s[high] = a; }
            __syncthreads();
        }
    out[(size_t)blockIdx.x * 1024 + t] = s[t];
    out[(size_t)blockIdx.x * 1024 + t + 512] = s[t + 512];
}
extern "C" void sort_rows(const float* x, float* out, int n, cudaStream_t stream) {
    so_pair<<<n / 1024, 512, 0, stream>>>(x, out);
}
