#include "../../check.cuh"

__global__ void fill(float* x, int n) { x[threadIdx.x] = 1.0f; }

int main() {
  Device<float> x(64);
  int n = 0;
  fill<<<n / 256, 256>>>(x.data, n);  // expect: LAUNCH_CONFIGURATION
  return 0;
}
