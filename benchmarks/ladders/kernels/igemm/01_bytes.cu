// kernelwright: task=../../tasks/igemm.py entry=igemm args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// an output a thread, byte after byte
#include <cuda_runtime.h>

__global__ void ig_bytes(const signed char* a, const signed char* b, int* out, int n, int k) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y, s = 0;
    for (int i = 0; i < k; ++i) s += (int)a[(size_t)r * k + i] * (int)b[(size_t)c * k + i];
    out[(size_t)r * n + c] = s;
}
extern "C" void igemm(const signed char* a, const signed char* b, int* out, int m, int n, int k, cudaStream_t stream) {
    ig_bytes<<<dim3(n / 16, m / 16), dim3(16, 16), 0, stream>>>(a, b, out, n, k);
}
