#include "../../check.cuh"

__global__ void accumulate(const float* x, float* y) {
  y[threadIdx.x] += x[threadIdx.x];  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<float> x(ramp(32)), y(32);
  accumulate<<<1, 32>>>(x.data, y.data);
  return 0;
}
