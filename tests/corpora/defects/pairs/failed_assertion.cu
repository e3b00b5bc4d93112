#include "../../pair.cuh"

#include <cassert>

__global__ void check(const int* x, int* y) {
#ifdef DEFECT
  assert(x[threadIdx.x] < 16);  // expect: LAUNCH_TRAP
#else
  assert(x[threadIdx.x] < 17);
#endif
  y[threadIdx.x] = x[threadIdx.x];
}

int main() {
  Device<int> x(ramp<int>(64)), y(64);
  check<<<1, 64>>>(x.data, y.data);
  return 0;
}
