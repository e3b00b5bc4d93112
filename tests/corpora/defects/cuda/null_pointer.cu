#include "../../check.cuh"

__global__ void fill(float* x) {
  x[threadIdx.x] = 1.0f;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  fill<<<1, 64>>>(nullptr);
  return 0;
}
