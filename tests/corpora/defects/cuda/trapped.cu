#include "../../check.cuh"

__global__ void check(const float* x) {
  if (x[threadIdx.x] < 0.0f) __trap();  // expect: LAUNCH_TRAP
}

int main() {
  Device<float> x(ramp(32));
  check<<<1, 32>>>(x.data);
  return 0;
}
