#include "../../pair.cuh"

__global__ void add(int* lock, int* sum) {
  if (threadIdx.x == 0) {
    while (atomicExch(lock, 1)) {  // expect: INIT_UNINITIALISED_READ
    }
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

int main() {
  int *lock = nullptr, *sum = nullptr, result = 0;
  cudaMalloc(&lock, sizeof(int));
  cudaMalloc(&sum, sizeof(int));
#ifndef DEFECT
  cudaMemset(lock, 0, sizeof(int));
#endif
  cudaMemset(sum, 0, sizeof(int));
  add<<<1, 32>>>(lock, sum);
  cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(lock);
  cudaFree(sum);
  return result == 1 ? 0 : 1;
}
