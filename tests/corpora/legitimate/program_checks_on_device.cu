// A kernel counts what is wrong, the host reads the count.
#include <cstdio>
__global__ void fill(int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * i + 1;
}
__global__ void check(const int* y, int n, int* wrong) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && y[i] != 3 * i + 1) atomicAdd(wrong, 1);
}
int main() {
  const int n = 5000;
  int *y, *wrong, count = -1;
  cudaMalloc(&y, n * 4);
  cudaMalloc(&wrong, 4);
  cudaMemset(wrong, 0, 4);
  fill<<<(n + 255) / 256, 256>>>(y, n);
  check<<<(n + 255) / 256, 256>>>(y, n, wrong);
  cudaMemcpy(&count, wrong, 4, cudaMemcpyDeviceToHost);
  std::printf("%d mismatches\n%s\n", count, count ? "FAILED" : "PASSED");
  cudaFree(y);
  cudaFree(wrong);
  return count != 0;
}
