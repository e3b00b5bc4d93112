#include "../../check.cuh"

__global__ void scale(const float* __restrict__ x, float* __restrict__ y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

int main() {
  auto host = ramp(1000);
  Device<float> x(host), y(1000);
  scale<<<(1000 + 255) / 256, 256>>>(x.data, y.data, 2, 1000);
  auto out = y.host();
  for (int i = 0; i < 1000; ++i) REQUIRE(out[i] == 2 * host[i]);
  return 0;
}
