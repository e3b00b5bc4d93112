#include "../../pair.cuh"

__global__ void count(const int* x, int* y) {
  __shared__ int total;
#ifndef DEFECT
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
#endif
  atomicAdd(&total, x[threadIdx.x] & 1);  // expect: INIT_UNINITIALISED_READ
  __syncthreads();
  if (threadIdx.x == 0) *y = total;
}

int main() {
  Device<int> x(ramp<int>(64)), y(1);
  count<<<1, 64>>>(x.data, y.data);
  return 0;
}
