#include "../../check.cuh"

__global__ void shift(const float* x, float* y) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  y[t] = s[(t + 1) % 32];  // expect: RACE_SHARED
}

int main() {
  Device<float> x(ramp(32)), y(32);
  shift<<<1, 32>>>(x.data, y.data);
  return 0;
}
