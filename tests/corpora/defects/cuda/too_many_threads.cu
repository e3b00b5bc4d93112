#include "../../check.cuh"

__global__ void fill(float* x) { x[threadIdx.x] = 1.0f; }

int main() {
  Device<float> x(2048);
  fill<<<1, 2048>>>(x.data);  // expect: LAUNCH_CONFIGURATION
  return 0;
}
