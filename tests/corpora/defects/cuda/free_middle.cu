#include "../../check.cuh"

int main() {
  float* x;
  cudaMalloc(&x, 64);
  cudaFree(x + 1);  // expect: MEM_INVALID_FREE
  cudaFree(x);
  return 0;
}
