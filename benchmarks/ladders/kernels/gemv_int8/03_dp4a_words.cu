// kernelwright: task=../../tasks/gemv_int8.py entry=gemv8 args="a, x, scale, out, a.shape[0], a.shape[1]"
// a warp a row, words of four bytes and dp4a
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) g8_words(const int* __restrict__ a, const int* __restrict__ x, const float* __restrict__ scale, float* __restrict__ out, int m, int k4) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= m) return;
    int s = 0;
    for (int i = lane; i < k4; i += 32) s = __dp4a(a[(size_t)r * k4 + i], x[i], s);
    s = __reduce_add_sync(~0u, s);
    if (lane == 0) out[r] = s * scale[r];
}
extern "C" void gemv8(const signed char* a, const signed char* x, const float* scale, float* out, int m, int k, cudaStream_t stream) {
    g8_words<<<(m + 7) / 8, 256, 0, stream>>>((const int*)a, (const int*)x, scale, out, m, k / 4);
}
