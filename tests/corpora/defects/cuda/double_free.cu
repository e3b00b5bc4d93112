#include "../../check.cuh"

int main() {
  float* x;
  cudaMalloc(&x, 64);
  cudaFree(x);
  cudaFree(x);  // expect: MEM_INVALID_FREE
  return 0;
}
