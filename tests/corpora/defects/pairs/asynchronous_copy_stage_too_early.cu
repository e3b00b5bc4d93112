#include "../../pair.cuh"

#include <cuda_pipeline.h>

__global__ void stages(const float* x, float* y, int steps) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&s[0][t], &x[t], 4);
  __pipeline_commit();
  for (int k = 0; k < steps; ++k) {
    if (k + 1 < steps) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &x[(k + 1) * 64 + t], 4);  // expect: SYNC_ASYNC_COPY?
    __pipeline_commit();
#ifdef DEFECT
    __pipeline_wait_prior(2);
#else
    __pipeline_wait_prior(1);
#endif
    __syncthreads();
    sum += s[k & 1][63 - t];  // expect: SYNC_ASYNC_COPY
    __syncthreads();
  }
  y[t] = sum;
}

int main() {
  Device<float> x(ramp(256)), y(64);
  stages<<<1, 64>>>(x.data, y.data, 4);
  REQUIRE(y.host()[63] == 64 % 17 + 128 % 17 + 192 % 17);
  return 0;
}
