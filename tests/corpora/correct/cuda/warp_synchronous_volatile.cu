#include "../../check.cuh"

__device__ void warp_reduce(volatile float* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

__global__ void sum(const float* x, float* y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 64] = 0;
  __syncthreads();
  if (t < 32) warp_reduce(s, t);
  if (t == 0) *y = s[0];
}

int main() {
  auto host = ramp(64);
  Device<float> x(host), y(1);
  sum<<<1, 64>>>(x.data, y.data);
  float expected = 0;
  for (float v : host) expected += v;
  REQUIRE(y.host()[0] == expected);
  return 0;
}
