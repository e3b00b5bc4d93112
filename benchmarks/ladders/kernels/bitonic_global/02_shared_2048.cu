// kernelwright: task=../../tasks/bitonic_global.py entry=sort_all args="x, out, x.shape[0]"
// steps within 2048 elements in shared memory, the others a launch each
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) bg_pairs(int* v, int j, int k) {
    int t = blockIdx.x * 256 + threadIdx.x, i = 2 * t - (t & (j - 1));
    int a = v[i], b = v[i + j];
    bool up = (i & k) == 0;
    if ((a > b) == up) {
        v[i] = b;
        v[i + j] = a;
    }
}
__device__ __forceinline__ void bg_local(int* s, int base, int j, int k) {
    int t = threadIdx.x, i = 2 * t - (t & (j - 1)), a = s[i], b = s[i + j];
    if ((a > b) == (((base + i) & k) == 0)) {
        s[i] = b;
        s[i + j] = a;
    }
    __syncthreads();
}
__global__ void __launch_bounds__(1024) bg_first(const int* x, int* v) {
    __shared__ int s[2048];
    int t = threadIdx.x, base = blockIdx.x * 2048;
    s[t] = x[base + t];
    s[t + 1024] = x[base + t + 1024];
    __syncthreads();
    for (int k = 2; k <= 2048; k *= 2)
        for (int j = k / 2; j; j /= 2) bg_local(s, base, j, k);
    v[base + t] = s[t];
    v[base + t + 1024] = s[t + 1024];
}
__global__ void __launch_bounds__(1024) bg_last(int* v, int k) {
    __shared__ int s[2048];
    int t = threadIdx.x, base = blockIdx.x * 2048;
    s[t] = v[base + t];
    s[t + 1024] = v[base + t + 1024];
    __syncthreads();
    for (int j = 1024; j; j /= 2) bg_local(s, base, j, k);
    v[base + t] = s[t];
    v[base + t + 1024] = s[t + 1024];
}
extern "C" void sort_all(const int* x, int* out, int n, cudaStream_t stream) {
    bg_first<<<n / 2048, 1024, 0, stream>>>(x, out);
    for (int k = 4096; k <= n; k *= 2) {
        for (int j = k / 2; j >= 2048; j /= 2) bg_pairs<<<n / 512, 256, 0, stream>>>(out, j, k);
        bg_last<<<n / 2048, 1024, 0, stream>>>(out, k);
    }
}
