#include "../../pair.cuh"

__global__ void fill(float* x) { x[threadIdx.x] = 1; }  // expect: MEM_OUT_OF_BOUNDS

int main() {
  float* x = nullptr;
#ifndef DEFECT
  cudaMalloc(&x, 128);
#endif
  fill<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
