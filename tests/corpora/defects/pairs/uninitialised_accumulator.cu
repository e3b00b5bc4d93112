#include "../../pair.cuh"

__global__ void sum(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += 32) y[threadIdx.x] += x[i];  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<float> x(ramp(128)), y(32);
#ifndef DEFECT
  cudaMemset(y.data, 0, 32 * sizeof(float));
#endif
  sum<<<1, 32>>>(x.data, y.data, 128);
  return 0;
}
