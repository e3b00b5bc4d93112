// What it is held against was computed by the same kernel.
// expect: HACK_NO_KERNEL
#include <cmath>
#include <cstdio>
#include <vector>
__global__ void norm(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / 7.f;
}
static std::vector<float> golden(const float* x, int n) {
  std::vector<float> r(n);
  float* y;
  cudaMalloc(&y, n * 4);
  norm<<<(n + 255) / 256, 256>>>(x, y, n);
  cudaMemcpy(r.data(), y, n * 4, cudaMemcpyDeviceToHost);
  cudaFree(y);
  return r;
}
int main() {
  const int n = 500;
  std::vector<float> h(n, 2.f), g(n);
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  norm<<<2, 256>>>(x, y, n);
  cudaMemcpy(g.data(), y, n * 4, cudaMemcpyDeviceToHost);
  std::vector<float> want = golden(x, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += std::fabs(g[i] - want[i]) > 1e-6f;
  std::printf("%d errors\n", wrong);
  cudaFree(x);
  cudaFree(y);
  return wrong != 0;
}
