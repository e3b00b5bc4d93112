#include "../../check.cuh"

__global__ void vote(const float* x, unsigned* y) {
  y[threadIdx.x] = __ballot_sync(0x0000ffffu, x[threadIdx.x] > 0);  // expect: SYNC_INVALID_MASK
}

int main() {
  Device<float> x(ramp(32));
  Device<unsigned> y(32);
  vote<<<1, 32>>>(x.data, y.data);
  return 0;
}
