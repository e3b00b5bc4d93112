#include "../../pair.cuh"

// 48 threads: the second warp has 16 lanes, and its first step reads what is not there.
__global__ void sums(const float* x, float* y) {
  int t = threadIdx.x;
  float v = x[t];
#ifdef DEFECT
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);  // expect: SYNC_INACTIVE_LANE
#else
  unsigned mask = t < 32 ? 0xffffffffu : 0xffffu;
  for (int offset = t < 32 ? 16 : 8; offset > 0; offset /= 2) v += __shfl_xor_sync(mask, v, offset);
#endif
  if (t % 32 == 0) y[t / 32] = v;
}

int main() {
  Device<float> x(std::vector<float>(48, 1.0f)), y(2);
  sums<<<1, 48>>>(x.data, y.data);
  REQUIRE(y.host()[1] == 16);
  return 0;
}
