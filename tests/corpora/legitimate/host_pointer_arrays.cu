// Arrays of pointers made on the host for a batched product.
// kernelwright: task=../tasks/batched_product.py entry=bm args="a, b, out, a.shape[0], a.shape[1], b.shape[2], a.shape[2]"
#include <cuda_runtime.h>

#include <vector>
__global__ void k(const float* const* a, const float* const* b, float* const* c, int M, int N, int K) {
    int n = blockIdx.x * 16 + threadIdx.x, m = blockIdx.y * 16 + threadIdx.y, z = blockIdx.z;
    if (m >= M || n >= N) return;
    float s = 0; for (int k = 0; k < K; ++k) s += a[z][m * K + k] * b[z][k * N + n];
    c[z][m * N + n] = s;
}
void bm(const float* a, const float* b, float* c, int B, int M, int N, int K) {
    std::vector<const void*> p(3 * B);
    for (int i = 0; i < B; ++i) { p[i] = a + (size_t)i * M * K; p[B + i] = b + (size_t)i * K * N; p[2 * B + i] = c + (size_t)i * M * N; }
    void** d; cudaMalloc(&d, p.size() * 8);
    cudaMemcpy(d, p.data(), p.size() * 8, cudaMemcpyHostToDevice);
    k<<<dim3((N + 15) / 16, (M + 15) / 16, B), dim3(16, 16)>>>((const float**)d, (const float**)d + B, (float**)d + 2 * B, M, N, K);
    cudaFree(d);
}
