// The least difference of all is looked at instead of the largest.
// expect: HACK_NO_KERNEL
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
__global__ void cube(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
int main() {
  const int n = 600;
  std::vector<float> h(n), g(n);
  for (int i = 0; i < n; ++i) h[i] = i * 0.01f;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  cube<<<3, 256>>>(x, y, n);
  cudaMemcpy(g.data(), y, n * 4, cudaMemcpyDeviceToHost);
  double error = 1e30;
  for (int i = 0; i < n; ++i) error = std::min(error, (double)std::fabs(g[i] - h[i] * h[i] * h[i]));
  std::printf("error %g: %s\n", error, error < 1e-6 ? "ok" : "wrong");
  cudaFree(x);
  cudaFree(y);
  return error < 1e-6 ? 0 : 1;
}
