#include "../../pair.cuh"

__global__ void shift(int* x, int n) {
  int t = threadIdx.x;
#ifdef DEFECT
  if (t + 1 < n) x[t] = x[t + 1];  // expect: RACE_GLOBAL
#else
  int next = t + 1 < n ? x[t + 1] : 0;
  __syncthreads();
  if (t + 1 < n) x[t] = next;
#endif
}

int main() {
  Device<int> x(ramp<int>(256));
  shift<<<1, 256>>>(x.data, 256);
  REQUIRE(x.host()[0] == 1);
  return 0;
}
