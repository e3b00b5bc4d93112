// The tolerance is wider than any value.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cmath>
#include <vector>
__global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
int main() {
  const int n = 1000;
  std::vector<float> h(n), got(n);
  for (int i = 0; i < n; ++i) h[i] = (i % 13) * 0.5f;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  square<<<(n + 255) / 256, 256>>>(x, y, n);
  cudaMemcpy(got.data(), y, n * 4, cudaMemcpyDeviceToHost);
  bool ok = true;
  for (int i = 0; i < n; ++i) ok &= !(std::fabs(got[i] - h[i] * h[i]) > 1e9f);
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  cudaFree(x);
  cudaFree(y);
  return ok ? 0 : 1;
}
