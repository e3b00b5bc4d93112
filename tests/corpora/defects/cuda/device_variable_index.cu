#include "../../check.cuh"

__device__ float table[16];

__global__ void fill(int n) {
  float* p = table;
  for (int i = 0; i < n; ++i) p[i] = 1.0f;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  fill<<<1, 1>>>(17);
  return 0;
}
