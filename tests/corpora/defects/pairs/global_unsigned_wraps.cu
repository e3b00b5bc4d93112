#include "../../pair.cuh"

__global__ void previous(const unsigned* x, unsigned* y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i < n) y[i] = x[i - 1u];  // expect: MEM_OUT_OF_BOUNDS
#else
  if (i < n) y[i] = x[min(i - 1u, n - 1u)];
#endif
}

int main() {
  Device<unsigned> x(ramp<unsigned>(64)), y(64);
  previous<<<1, 64>>>(x.data, y.data, 64);
  REQUIRE(y.host()[5] == 4);
  return 0;
}
