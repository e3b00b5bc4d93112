// The largest relative error of a sum against the host's in double.
#include <cstdio>
#include <cmath>
#include <vector>
#include <algorithm>
__global__ void sums(const float* x, float* y, int cols) {
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) s += x[blockIdx.x * cols + c];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
int main() {
  const int rows = 20, cols = 300;
  std::vector<float> h(rows * cols), got(rows);
  for (size_t i = 0; i < h.size(); ++i) h[i] = std::sin(0.1f * i);
  float *x, *y;
  cudaMalloc(&x, h.size() * 4);
  cudaMalloc(&y, rows * 4);
  cudaMemcpy(x, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
  sums<<<rows, 32>>>(x, y, cols);
  cudaMemcpy(got.data(), y, rows * 4, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double s = 0;
    for (int c = 0; c < cols; ++c) s += h[r * cols + c];
    worst = std::max(worst, std::fabs(got[r] - s) / std::max(1.0, std::fabs(s)));
  }
  cudaFree(x);
  cudaFree(y);
  if (worst > 1e-4) { std::printf("Test FAILED: %g\n", worst); return 1; }
  std::printf("Test passed\n");
  return 0;
}
