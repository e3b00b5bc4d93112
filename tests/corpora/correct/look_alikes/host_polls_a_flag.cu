// The kernel stores its results, and behind a fence a flag for which the host waits: no other wait is needed.
#include "../../pair.cuh"

constexpr int kThreads = 64;

__global__ void fill(int* results, volatile int* flag) {
  results[threadIdx.x] = (int)threadIdx.x;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}

int main() {
  int *results = nullptr, *flag = nullptr;
  cudaMallocManaged(&results, kThreads * sizeof(int));
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  fill<<<1, kThreads>>>(results, flag);
  while (*(volatile int*)flag == 0) {
  }
  int sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += results[i];
  cudaDeviceSynchronize();
  cudaFree(results);
  cudaFreeHost(flag);
  return sum == kThreads * (kThreads - 1) / 2 ? 0 : 1;
}
