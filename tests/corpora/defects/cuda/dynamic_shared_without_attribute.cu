#include "../../check.cuh"

__global__ void stage(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
}

int main() {
  Device<float> x(ramp(64));
  stage<<<1, 64, 64 * 1024>>>(x.data);  // expect: LAUNCH_CONFIGURATION
  return 0;
}
