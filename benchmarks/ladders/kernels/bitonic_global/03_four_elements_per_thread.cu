// kernelwright: task=../../tasks/bitonic_global.py entry=sort_all args="x, out, x.shape[0]"
// two global steps a launch with four elements a thread; four elements a thread in shared memory as well
#include <cuda_runtime.h>

__device__ __forceinline__ void bg_order(int& a, int& b, bool up) {
    int lo = min(a, b), hi = max(a, b);
    a = up ? lo : hi;
    b = up ? hi : lo;
}
__device__ __forceinline__ void bg_four(int* v, int t, int j, bool up) {
    int i = 4 * t - 3 * (t & (j / 2 - 1)), h = j / 2;
    int a = v[i], b = v[i + h], c = v[i + j], d = v[i + j + h];
    bg_order(a, c, up);
    bg_order(b, d, up);
    bg_order(a, b, up);
    bg_order(c, d, up);
    v[i] = a;
    v[i + h] = b;
    v[i + j] = c;
    v[i + j + h] = d;
}
__global__ void __launch_bounds__(256) bg_quads(int* v, int j, int k) {
    int t = blockIdx.x * 256 + threadIdx.x;
    bg_four(v, t, j, ((4 * t - 3 * (t & (j / 2 - 1))) & k) == 0);
}
__global__ void __launch_bounds__(256) bg_pairs(int* v, int j, int k) {
    int t = blockIdx.x * 256 + threadIdx.x, i = 2 * t - (t & (j - 1)), a = v[i], b = v[i + j];
    bg_order(a, b, (i & k) == 0);
    v[i] = a;
    v[i + j] = b;
}
__device__ __forceinline__ void bg_merge(int* s, int base, int from, int k) {
    int t = threadIdx.x, j = from;
    for (; j >= 2; j /= 4) {
        bg_four(s, t, j, ((base + 4 * t - 3 * (t & (j / 2 - 1))) & k) == 0);
        __syncthreads();
    }
    if (j == 1) {
        int i = 4 * t;
        bg_order(s[i], s[i + 1], ((base + i) & k) == 0);
        bg_order(s[i + 2], s[i + 3], ((base + i + 2) & k) == 0);
        __syncthreads();
    }
}
__global__ void __launch_bounds__(512) bg_first(const int4* x, int4* v) {
    __shared__ __align__(16) int s[2048];
    int t = threadIdx.x, base = blockIdx.x * 2048;
    ((int4*)s)[t] = x[base / 4 + t];
    __syncthreads();
    for (int k = 2; k <= 2048; k *= 2) bg_merge(s, base, k / 2, k);
    v[base / 4 + t] = ((int4*)s)[t];
}
__global__ void __launch_bounds__(512) bg_last(int4* v, int k) {
    __shared__ __align__(16) int s[2048];
    int t = threadIdx.x, base = blockIdx.x * 2048;
    ((int4*)s)[t] = v[base / 4 + t];
    __syncthreads();
    bg_merge(s, base, 1024, k);
    v[base / 4 + t] = ((int4*)s)[t];
}
extern "C" void sort_all(const int* x, int* out, int n, cudaStream_t stream) {
    bg_first<<<n / 2048, 512, 0, stream>>>((const int4*)x, (int4*)out);
    for (int k = 4096; k <= n; k *= 2) {
        int j = k / 2;
        for (; j >= 4096; j /= 4) bg_quads<<<n / 1024, 256, 0, stream>>>(out, j, k);
        if (j == 2048) bg_pairs<<<n / 512, 256, 0, stream>>>(out, j, k);
        bg_last<<<n / 2048, 512, 0, stream>>>((int4*)out, k);
    }
}
