#include "../../pair.cuh"

int main() {
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 1024);
#ifdef DEFECT
  y = x;
  cudaFree(x);
  cudaFree(y);  // expect: MEM_INVALID_FREE
#else
  cudaMalloc(&y, 1024);
  cudaFree(x);
  cudaFree(y);
  cudaFree(nullptr);
#endif
  return 0;
}
