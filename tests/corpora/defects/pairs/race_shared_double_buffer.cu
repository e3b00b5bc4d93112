#include "../../pair.cuh"

__global__ void pipeline(const float* x, float* y, int steps) {
  __shared__ float buffer[2][64];
  int t = threadIdx.x, current = 0;
  buffer[0][t] = x[t];
  __syncthreads();
  float sum = 0;
  for (int s = 0; s < steps; ++s) {
#ifdef DEFECT
    if (s + 1 < steps) buffer[current][t] = x[(s + 1) * 64 + t];  // expect: RACE_SHARED
#else
    if (s + 1 < steps) buffer[1 - current][t] = x[(s + 1) * 64 + t];
#endif
    sum += buffer[current][63 - t];  // expect: RACE_SHARED
    __syncthreads();
#ifndef DEFECT
    current = 1 - current;
#endif
  }
  y[t] = sum;
}

int main() {
  Device<float> x(ramp(256)), y(64);
  pipeline<<<1, 64>>>(x.data, y.data, 4);
  REQUIRE(y.host()[63] == 0 + 64 % 17 + 128 % 17 + 192 % 17);
  return 0;
}
