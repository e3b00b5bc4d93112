#include "../../pair.cuh"

__device__ float scratch[64];

__global__ void stage(const float* x, float* y, int n) {
  int i = threadIdx.x;
#ifdef DEFECT
  scratch[i + 1] = x[i];  // expect: MEM_OUT_OF_BOUNDS
  y[i] = x[i];
#else
  scratch[i] = x[i];
  y[i] = scratch[i];
#endif
}

int main() {
  Device<float> x(ramp(64)), y(64);
  stage<<<1, 64>>>(x.data, y.data, 64);
  REQUIRE(y.host()[63] == 63 % 17);
  return 0;
}
