#include "../../check.cuh"

__global__ void blur(const float* x, float* y, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = s[threadIdx.x] + (threadIdx.x ? s[threadIdx.x - 1] : 0.0f);
}

int main() {
  auto host = ramp(100);
  Device<float> x(host), y(100);
  blur<<<2, 64>>>(x.data, y.data, 100);
  auto o = y.host();
  for (int i = 0; i < 100; ++i) REQUIRE(o[i] == host[i] + (i % 64 ? host[i - 1] : 0));
  return 0;
}
