#include "../../check.cuh"

__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = 2.0f;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<float> x(1000);
  scale<<<4, 256>>>(x.data, x.n);
  return 0;
}
