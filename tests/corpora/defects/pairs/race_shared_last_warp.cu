#include "../../pair.cuh"

// The last steps within one warp: each needs its own __syncwarp(), reads apart from writes.
__global__ void sum(const float* x, float* y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
    for (int offset = 16; offset > 0; offset >>= 1) {
#ifndef DEFECT
      __syncwarp();
#endif
      s[t] = v;
      __syncwarp();
      if (t < offset) v += s[t + offset];  // expect: RACE_SHARED
    }
    if (t == 0) *y = v;
  }
}

int main() {
  Device<float> x(std::vector<float>(64, 1.0f)), y(1);
  sum<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 64);
  return 0;
}
