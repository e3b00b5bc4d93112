#include <cuda_pipeline.h>

#include "../../check.cuh"

__global__ void twice(const float* x, float* out) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = 2 * tile[63 - threadIdx.x];  // expect: SYNC_ASYNC_COPY
}

int main() {
  Device<float> x(ramp(64)), out(64);
  twice<<<1, 64>>>(x.data, out.data);
  return cudaDeviceSynchronize();
}
