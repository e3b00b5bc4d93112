#include "../../pair.cuh"

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

int main() {
  int* x = nullptr;
  cudaMallocManaged(&x, 64 * sizeof(int));
  fill<<<1, 64>>>(x);
#ifndef DEFECT
  cudaDeviceSynchronize();
#endif
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[i];  // expect: RACE_STREAM
  cudaDeviceSynchronize();
  cudaFree(x);
  return sum == 2016 ? 0 : 1;
}
