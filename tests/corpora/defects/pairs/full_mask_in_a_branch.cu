#include "../../pair.cuh"

__global__ void odd(const int* x, int* y) {
  int v = x[threadIdx.x];
  if (threadIdx.x & 1) {
#ifdef DEFECT
    v = __shfl_down_sync(0xffffffffu, v, 2);  // expect: SYNC_DEADLOCK, SYNC_INVALID_MASK
#else
    v = __shfl_down_sync(0xaaaaaaaau, v, 2);
#endif
  }
  __syncwarp();
  y[threadIdx.x] = v;
}

int main() {
  Device<int> x(ramp<int>(32)), y(32);
  odd<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[1] == 3);
  return 0;
}
