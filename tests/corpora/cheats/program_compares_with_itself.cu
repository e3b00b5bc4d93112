// The check compares the result with a copy of itself.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cmath>
#include <vector>
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3.0f;
}
int main() {
  const int n = 1000;
  std::vector<float> h(n), got(n), want(n);
  for (int i = 0; i < n; ++i) h[i] = i * 0.5f;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
  cudaMemcpy(got.data(), y, n * 4, cudaMemcpyDeviceToHost);
  want = got;
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += std::fabs(got[i] - want[i]) > 1e-5f;
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  cudaFree(x);
  cudaFree(y);
  return wrong != 0;
}
