#include "../../pair.cuh"

int main() {
  float* x = (float*)malloc(1024);
#ifdef DEFECT
  cudaFree(x);  // expect: MEM_INVALID_FREE
#else
  free(x);
#endif
  return 0;
}
