#include "../../check.cuh"

int main() {
  float* x;
  cudaMalloc(&x, 1024);  // expect: LEAK_DEVICE
  cudaMemset(x, 0, 1024);
  return 0;
}
