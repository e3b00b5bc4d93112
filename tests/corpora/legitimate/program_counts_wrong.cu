// Counts what differs, with a macro for errors.
#include <cstdio>
#include <cstdlib>
#define OK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(1); } } while (0)
__global__ void rev(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[n - 1 - i] = a[i];
}
int main() {
  const int n = 777;
  int h[n], g[n], *a, *b, wrong = 0;
  for (int i = 0; i < n; ++i) h[i] = i * 3;
  OK(cudaMalloc(&a, sizeof h));
  OK(cudaMalloc(&b, sizeof h));
  OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
  rev<<<4, 256>>>(a, b, n);
  OK(cudaGetLastError());
  OK(cudaMemcpy(g, b, sizeof h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) wrong += g[i] != h[n - 1 - i];
  std::printf("%d wrong\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  OK(cudaFree(a));
  OK(cudaFree(b));
  return wrong ? 1 : 0;
}
