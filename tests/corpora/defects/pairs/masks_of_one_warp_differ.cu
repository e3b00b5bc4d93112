#include "../../pair.cuh"

__global__ void total(const int* x, int* y) {
  int lane = threadIdx.x;
  unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
#ifdef DEFECT
  if (lane == 3) mask = 0xffffffffu;
#endif
  int v = x[lane];
  v += __shfl_xor_sync(mask, v, 1);  // expect: SYNC_INVALID_MASK, SYNC_DEADLOCK
  y[lane] = v;
}

int main() {
  Device<int> x(ramp<int>(32)), y(32);
  total<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 1);
  return 0;
}
