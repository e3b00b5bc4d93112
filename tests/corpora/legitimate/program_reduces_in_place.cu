// The sum gathers at the beginning of what is copied back whole.
#include <cmath>
#include <cstdio>
#include <vector>
__global__ void fold(float* x, int half) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) x[i] += x[i + half];
}
int main() {
  const int n = 1024;
  std::vector<float> h(n), g(n);
  double want = 0;
  for (int i = 0; i < n; ++i) want += h[i] = 0.001f * (i % 31);
  float* x;
  cudaMalloc(&x, n * 4);
  cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
  for (int half = n / 2; half; half /= 2) fold<<<(half + 127) / 128, 128>>>(x, half);
  cudaMemcpy(g.data(), x, n * 4, cudaMemcpyDeviceToHost);
  bool ok = std::fabs(g[0] - want) < 1e-3;
  std::printf("sum %f, expected %f: %s\n", g[0], want, ok ? "PASSED" : "FAILED");
  cudaFree(x);
  return ok ? 0 : 1;
}
