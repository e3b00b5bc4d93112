#include "../../pair.cuh"

int main() {
  int* x = nullptr;
  cudaMalloc(&x, 100 * sizeof(int));
#ifdef DEFECT
  cudaMemset(x, 0, 101 * sizeof(int));  // expect: MEM_OUT_OF_BOUNDS
#else
  cudaMemset(x, 0, 100 * sizeof(int));
#endif
  cudaFree(x);
  return 0;
}
