#include "../../pair.cuh"

__global__ void pick(const int* x, int* y) {
  __shared__ int chosen;
#ifdef DEFECT
  chosen = x[threadIdx.x];  // expect: RACE_SHARED
#else
  if (threadIdx.x == 0) chosen = x[threadIdx.x];
#endif
  __syncthreads();
  y[threadIdx.x] = chosen;
}

int main() {
  Device<int> x(ramp<int>(64)), y(64);
  pick<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[5] == 0);
  return 0;
}
