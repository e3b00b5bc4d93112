#include "../../check.cuh"

__global__ void fill(float* x) {
  x[threadIdx.x] = 1.0f;  // expect: MEM_USE_AFTER_FREE
}

int main() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaFree(x);
  fill<<<1, 64>>>(x);
  return 0;
}
