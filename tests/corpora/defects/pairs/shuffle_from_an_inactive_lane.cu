#include "../../pair.cuh"

__global__ void broadcast(const int* x, int* y, int n) {
  int lane = threadIdx.x;
  if (lane < n) {
#ifdef DEFECT
    y[lane] = __shfl_sync(0x000000ffu, x[lane], 8);  // expect: SYNC_INACTIVE_LANE
#else
    y[lane] = __shfl_sync(0x000000ffu, x[lane], 7);
#endif
  }
}

int main() {
  Device<int> x(ramp<int>(32)), y(8);
  broadcast<<<1, 32>>>(x.data, y.data, 8);
  return 0;
}
