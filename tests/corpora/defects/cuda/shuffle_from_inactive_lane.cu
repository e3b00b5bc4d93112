#include "../../check.cuh"

__global__ void last(const float* x, float* y) {
  if (threadIdx.x < 16) {
    y[threadIdx.x] = __shfl_sync(0x0000ffffu, x[threadIdx.x], 31);  // expect: SYNC_INACTIVE_LANE
  }
}

int main() {
  Device<float> x(ramp(32)), y(32);
  last<<<1, 32>>>(x.data, y.data);
  return 0;
}
