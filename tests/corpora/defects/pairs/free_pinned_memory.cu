#include "../../pair.cuh"

int main() {
  float* x = nullptr;
  cudaMallocHost(&x, 1024);
  x[0] = 1;
#ifdef DEFECT
  cudaFree(x);  // expect: MEM_INVALID_FREE
#endif
  cudaFreeHost(x);
  return 0;
}
