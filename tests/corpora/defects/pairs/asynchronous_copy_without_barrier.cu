#include "../../pair.cuh"

#include <cuda_pipeline.h>

__global__ void load(const float* x, float* y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &x[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
#ifndef DEFECT
  __syncthreads();
#endif
  y[t] = s[63 - t];  // expect: SYNC_ASYNC_COPY, RACE_SHARED
}

int main() {
  Device<float> x(ramp(64)), y(64);
  load<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[63] == 0);
  return 0;
}
