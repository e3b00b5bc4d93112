#include "../../pair.cuh"

// Half of each warp adds up, and the other half is done by then; the tail of the data is another matter.
__global__ void halves(const int* x, int* y, int n) {
  const int lane = threadIdx.x % 32;
#ifdef DEFECT
  const unsigned mask = 0xffffffffu;
#else
  const unsigned mask = 0x0000ffffu;
#endif
  if (lane < 16) {
    int v = x[threadIdx.x];
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d);  // expect: SYNC_INVALID_MASK
    if (lane == 0) y[threadIdx.x / 32] = v;
  }
}

__global__ void neighbours(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int left = __shfl_up_sync(0xffffffffu, x[i], 1);
    y[i] = i % 32 ? x[i] - left : x[i];
  }
}

int main() {
  Device<int> x(ramp<int>(90)), y(90);
  halves<<<1, 64>>>(x.data, y.data, 64);
  neighbours<<<3, 32>>>(x.data, y.data, 90);
  REQUIRE(y.host()[1] == 1);
  return 0;
}
