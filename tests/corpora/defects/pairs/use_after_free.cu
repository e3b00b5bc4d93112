#include "../../pair.cuh"

__global__ void doubled(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }  // expect: MEM_USE_AFTER_FREE

int main() {
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 128);
  cudaMemset(x, 0, 128);
#ifdef DEFECT
  cudaFree(x);
#endif
  doubled<<<1, 32>>>(x, y);
#ifndef DEFECT
  cudaFree(x);
#endif
  cudaFree(y);
  return 0;
}
