#include "../../pair.cuh"

__global__ void rows(const int* x, int* y) {
#ifdef DEFECT
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1, 12);  // expect: SYNC_INVALID_MASK
#else
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1, 8);
#endif
}

int main() {
  Device<int> x(ramp<int>(32)), y(32);
  rows<<<1, 32>>>(x.data, y.data);
  return 0;
}
