#include "../../pair.cuh"

#include <cuda/barrier>

__global__ void stage(const int* x, int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int s[64];
  int t = threadIdx.x;
#ifdef DEFECT
  if (t == 0) init(&ready, blockDim.x + 1);
#else
  if (t == 0) init(&ready, blockDim.x);
#endif
  __syncthreads();
  s[t] = x[t];
  ready.arrive_and_wait();  // expect: SYNC_DEADLOCK
  y[t] = s[63 - t];
}

int main() {
  Device<int> x(ramp<int>(64)), y(64);
  stage<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[63] == 0);
  return 0;
}
