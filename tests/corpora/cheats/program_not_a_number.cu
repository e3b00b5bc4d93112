// The device's result is no number, and no comparison with it is ever true.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cmath>
#include <vector>
__global__ void root(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(-1.f - x[i]);
}
int main() {
  const int n = 1000;
  std::vector<float> h(n), got(n);
  for (int i = 0; i < n; ++i) h[i] = i;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  root<<<(n + 255) / 256, 256>>>(x, y, n);
  cudaMemcpy(got.data(), y, n * 4, cudaMemcpyDeviceToHost);
  float worst = 0;
  for (int i = 0; i < n; ++i) if (std::fabs(got[i] - std::sqrt(h[i])) > worst) worst = std::fabs(got[i] - std::sqrt(h[i]));
  std::printf("max error %g: %s\n", worst, worst < 1e-5 ? "PASSED" : "FAILED");
  cudaFree(x);
  cudaFree(y);
  return worst >= 1e-5;
}
