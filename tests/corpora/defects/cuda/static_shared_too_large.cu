#include "../../check.cuh"

__global__ void stage(float* x) {
  __shared__ float s[16 * 1024];
  s[threadIdx.x] = x[threadIdx.x];
}

int main() {
  Device<float> x(ramp(64));
  stage<<<1, 64>>>(x.data);  // expect: LAUNCH_CONFIGURATION
  return 0;
}
