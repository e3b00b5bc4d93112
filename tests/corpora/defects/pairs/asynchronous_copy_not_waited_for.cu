#include "../../pair.cuh"

#include <cuda_pipeline.h>

__global__ void load(const float* x, float* y) {
  __shared__ __align__(16) float s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[4 * t], &x[4 * t], 16);
  __pipeline_commit();
#ifndef DEFECT
  __pipeline_wait_prior(0);
#endif
  __syncthreads();
  y[t] = s[127 - t];  // expect: SYNC_ASYNC_COPY
}

int main() {
  Device<float> x(ramp(128)), y(32);
  load<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 127 % 17);
  return 0;
}
