#include "../../check.cuh"

int main() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  x[3] = 1.0f;  // expect: MEM_DEVICE_POINTER
  cudaFree(x);
  return 0;
}
