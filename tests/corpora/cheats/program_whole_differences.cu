// Differences become whole numbers before they are looked at.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void halve(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.f;
}
int main() {
  const int n = 700;
  std::vector<float> h(n), g(n, -1.f);
  for (int i = 0; i < n; ++i) h[i] = (i % 10) * 0.1f;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  halve<<<3, 256>>>(x, y, n);
  cudaMemcpy(g.data(), y, n * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) if (abs((int)(g[i] - h[i] * 0.5f)) > 0) ++wrong;
  std::printf(wrong ? "FAILED\n" : "PASSED\n");
  cudaFree(x);
  cudaFree(y);
  return wrong != 0;
}
