#include "../../pair.cuh"

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  for (int i = 0; i < 3; ++i) {
    int* x = nullptr;
    cudaMalloc(&x, 128);  // expect: LEAK_DEVICE
    fill<<<1, 32>>>(x);
#ifndef DEFECT
    cudaFree(x);
#endif
  }
  return 0;
}
