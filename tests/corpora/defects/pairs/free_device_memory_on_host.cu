#include "../../pair.cuh"

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 1024);
#ifdef DEFECT
  free(x);  // expect: MEM_INVALID_FREE
#else
  cudaFree(x);
#endif
  return 0;
}
