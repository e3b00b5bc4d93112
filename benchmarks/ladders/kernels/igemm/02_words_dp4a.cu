// kernelwright: task=../../tasks/igemm.py entry=igemm args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// four bytes at a time
#include <cuda_runtime.h>

__global__ void ig_words(const int* a, const int* b, int* out, int n, int k4) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y, s = 0;
    for (int i = 0; i < k4; ++i) s = __dp4a(a[(size_t)r * k4 + i], b[(size_t)c * k4 + i], s);
    out[(size_t)r * n + c] = s;
}
extern "C" void igemm(const signed char* a, const signed char* b, int* out, int m, int n, int k, cudaStream_t stream) {
    ig_words<<<dim3(n / 16, m / 16), dim3(16, 16), 0, stream>>>((const int*)a, (const int*)b, out, n, k / 4);
}
