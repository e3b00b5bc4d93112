// Compares the first ten elements: a weak check, which can fail all the same.
#include <cstdio>
#include <vector>
__global__ void triple(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
}
int main() {
  const int n = 1000;
  std::vector<int> h(n), g(n);
  for (int i = 0; i < n; ++i) h[i] = i + 1;
  int *x, *y, wrong = 0;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  triple<<<4, 256>>>(x, y, n);
  cudaMemcpy(g.data(), y, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 10; ++i) wrong += g[i] != 3 * h[i];
  std::printf(wrong ? "FAILED\n" : "PASSED\n");
  cudaFree(x);
  cudaFree(y);
  return wrong != 0;
}
