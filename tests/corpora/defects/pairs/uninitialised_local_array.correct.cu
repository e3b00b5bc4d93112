#include "../../pair.cuh"

template <int kTile>
__global__ void tiled(const float* x, float* y, int steps) {
  float total[kTile] = {};
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (int k = 0; k < kTile; ++k) total[k] += x[(s * kTile + k) * 32 + threadIdx.x];
  for (int k = 0; k < kTile; ++k) y[k * 32 + threadIdx.x] = total[k];
}

int main() {
  Device<float> x(ramp(32 * 4 * 4)), y(128);
  tiled<4><<<1, 32>>>(x.data, y.data, 4);
  return 0;
}
