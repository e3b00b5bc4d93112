#include "../../pair.cuh"

__global__ void sums(const int* x, int* y) {
  int v = x[blockIdx.x * 32 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
#ifdef DEFECT
  y[blockIdx.x] = v;  // expect: RACE_GLOBAL
#else
  if (threadIdx.x == 0) y[blockIdx.x] = v;
#endif
}

int main() {
  Device<int> x(ramp<int>(128)), y(4);
  sums<<<4, 32>>>(x.data, y.data);
  return 0;
}
