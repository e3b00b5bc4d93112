#include "../../pair.cuh"

__global__ void passes(float* x, int count) {
  __shared__ float s[96];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 0; k < count; ++k) {
    float next = s[(t + 1) % 96];
#ifndef DEFECT
    __syncthreads();
#endif
    s[t] = next;  // expect: RACE_SHARED
    __syncthreads();
  }
  x[t] = s[t];
}

int main() {
  Device<float> x(ramp(96));
  passes<<<1, 96>>>(x.data, 3);
  REQUIRE(x.host()[0] == 3);
  return 0;
}
