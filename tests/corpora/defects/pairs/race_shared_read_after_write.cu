#include "../../pair.cuh"

__global__ void reverse(const float* x, float* y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
#ifndef DEFECT
  __syncthreads();
#endif
  y[blockIdx.x * 128 + t] = s[127 - t];  // expect: RACE_SHARED
}

int main() {
  Device<float> x(ramp(256)), y(256);
  reverse<<<2, 128>>>(x.data, y.data);
  REQUIRE(y.host()[127] == 0);
  return 0;
}
