#include "../../check.cuh"

__global__ void fill(float* x) {
  x[threadIdx.x] = 1.0f;  // expect: MEM_HOST_POINTER
}

int main() {
  float* x = (float*)malloc(64 * sizeof(float));
  fill<<<1, 64>>>(x);
  free(x);
  return 0;
}
