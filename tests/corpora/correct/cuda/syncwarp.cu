#include "../../check.cuh"

__global__ void rotate(const float* x, float* y) {
  __shared__ float s[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[warp][lane] = x[threadIdx.x];
  __syncwarp();
  float v = s[warp][(lane + 1) % 32];
  __syncwarp();
  s[warp][lane] = v;
  __syncwarp();
  y[threadIdx.x] = s[warp][(lane + 1) % 32];
}

int main() {
  auto host = ramp(128);
  Device<float> x(host), y(128);
  rotate<<<1, 128>>>(x.data, y.data);
  auto o = y.host();
  for (int i = 0; i < 128; ++i) REQUIRE(o[i] == host[i / 32 * 32 + (i + 2) % 32]);
  return 0;
}
