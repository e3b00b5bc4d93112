// Chunks as large as the free memory allows.
// kernelwright: task=../tasks/gelu.py entry=gelu args="x, out, x.numel()"
#include <algorithm>
__global__ void k(const float* x, float* t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = erff(x[i] * 0.70710678f);
}
__global__ void f(const float* x, const float* t, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1 + t[i]);
}
void gelu(const float* x, float* y, int n) {
  size_t fr, to;
  cudaMemGetInfo(&fr, &to);
  size_t chunk = std::min<size_t>(n, std::max<size_t>(256, fr / 100000000));
  float* t;
  cudaMalloc(&t, chunk * 4);
  for (size_t at = 0; at < (size_t)n; at += chunk) {
    int m = std::min<size_t>(chunk, n - at);
    k<<<(m + 255) / 256, 256>>>(x + at, t, m);
    f<<<(m + 255) / 256, 256>>>(x + at, t, y + at, m);
  }
  cudaFree(t);
}
