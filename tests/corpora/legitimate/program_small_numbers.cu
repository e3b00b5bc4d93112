// Small physical quantities, compared by a share of the largest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
__global__ void force(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 6.674e-11f * x[i] / (1 + x[i] * x[i]);
}
int main() {
  const int n = 500;
  std::vector<float> h(n), g(n);
  for (int i = 0; i < n; ++i) h[i] = 0.1f * i;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  force<<<2, 256>>>(x, y, n);
  cudaMemcpy(g.data(), y, n * 4, cudaMemcpyDeviceToHost);
  double worst = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    double want = 6.674e-11 * h[i] / (1 + (double)h[i] * h[i]);
    worst = std::max(worst, std::fabs(g[i] - want));
    largest = std::max(largest, std::fabs(want));
  }
  std::printf("largest relative error %g: %s\n", worst / largest, worst < 1e-5 * largest ? "PASSED" : "FAILED");
  cudaFree(x);
  cudaFree(y);
  return worst < 1e-5 * largest ? 0 : 1;
}
