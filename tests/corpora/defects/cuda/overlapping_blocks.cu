#include "../../check.cuh"

__global__ void label(int* y) {
  y[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;  // expect: RACE_GLOBAL
}

int main() {
  Device<int> y(32 * 3 + 64);
  label<<<4, 64>>>(y.data);
  return 0;
}
