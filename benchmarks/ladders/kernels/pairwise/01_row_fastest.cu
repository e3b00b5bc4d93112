// kernelwright: task=../../tasks/pairwise.py entry=pairwise args="a, b, out, a.shape[0]"
// a thread a pair, neighbouring threads in neighbouring rows of the result
#include <cuda_runtime.h>

__global__ void pw_row(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    float s = 0.f;
    for (int k = 0; k < 64; ++k) { float d = a[(size_t)i * 64 + k] - b[(size_t)j * 64 + k]; s += d * d; }
    out[(size_t)i * n + j] = s;
}
extern "C" void pairwise(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    pw_row<<<dim3(n / 16, n / 16), dim3(16, 16), 0, stream>>>(a, b, out, n);
}
