#include "../../pair.cuh"

int main() {
  float* staging = nullptr;
  cudaHostAlloc(&staging, 4096, cudaHostAllocDefault);  // expect: LEAK_DEVICE
  staging[0] = 1;
#ifndef DEFECT
  cudaFreeHost(staging);
#endif
  return 0;
}
