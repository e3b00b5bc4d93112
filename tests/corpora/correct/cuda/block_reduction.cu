#include "../../check.cuh"

__global__ void sum(const float* x, float* y) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}

int main() {
  auto host = ramp(1024);
  Device<float> x(host), y(4);
  sum<<<4, 256>>>(x.data, y.data);
  auto out = y.host();
  for (int b = 0; b < 4; ++b) {
    float expected = 0;
    for (int i = 0; i < 256; ++i) expected += host[b * 256 + i];
    REQUIRE(out[b] == expected);
  }
  return 0;
}
