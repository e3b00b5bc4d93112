// Two kernels are held against each other: where both compute nothing they agree, where one does they do not.
#include <cstdio>
__global__ void by_thread(const int* x, int* sum, int n) {
  int own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  atomicAdd(sum, own);
}
__global__ void by_warp(const int* x, int* sum, int n) {
  int own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  for (int step = 16; step; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
int main() {
  const int n = 1000;
  int h[n], got[2] = {0, 0}, *x, *sums;
  for (int i = 0; i < n; ++i) h[i] = i % 7 + 1;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&sums, sizeof got);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(sums, 0, sizeof got);
  by_thread<<<1, 128>>>(x, sums, n);
  by_warp<<<1, 128>>>(x, sums + 1, n);
  cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(sums);
  std::printf("%s\n", got[0] == got[1] ? "PASSED" : "FAILED");
  return got[0] == got[1] ? 0 : 1;
}
