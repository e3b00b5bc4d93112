#include "../../pair.cuh"

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 1024);
  float* at = x;
  ++at;
#ifdef DEFECT
  cudaFree(at);  // expect: MEM_INVALID_FREE
#endif
  cudaFree(at - 1);
  return 0;
}
