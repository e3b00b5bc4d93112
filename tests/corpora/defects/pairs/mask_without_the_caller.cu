#include "../../pair.cuh"

__global__ void vote(const int* x, unsigned* y) {
  int lane = threadIdx.x;
#ifdef DEFECT
  if (lane < 20) y[lane] = __ballot_sync(0x0000ffffu, x[lane] > 3);  // expect: SYNC_INVALID_MASK
#else
  if (lane < 20) y[lane] = __ballot_sync(0x000fffffu, x[lane] > 3);
#endif
}

int main() {
  Device<int> x(ramp<int>(32));
  Device<unsigned> y(20);
  vote<<<1, 32>>>(x.data, y.data);
  return 0;
}
