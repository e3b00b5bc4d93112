#include "../../pair.cuh"

__global__ void fill(const int* x, int* y, int n) {
#ifdef DEFECT
  int i = blockIdx.x * 60 + threadIdx.x;
#else
  int i = blockIdx.x * 64 + threadIdx.x;
#endif
  if (i < n) y[i] = x[threadIdx.x] + blockIdx.x;  // expect: RACE_GLOBAL
}

int main() {
  Device<int> x(ramp<int>(64)), y(256);
  cudaMemset(y.data, 0, 1024);
  fill<<<4, 64>>>(x.data, y.data, 256);
  return 0;
}
