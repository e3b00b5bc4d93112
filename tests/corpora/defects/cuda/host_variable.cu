#include "../../check.cuh"

float factor = 2.0f;

__global__ void scale(float* x) {
  x[threadIdx.x] *= factor;  // expect: COMPILE_ERROR
}

int main() {
  Device<float> x(ramp(32));
  scale<<<1, 32>>>(x.data);
  return 0;
}
