#include <cuda_pipeline.h>

#include "../../check.cuh"

__global__ void twice(const float* x, float* out) {
  __shared__ float tile[2][64];
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&tile[i][threadIdx.x], &x[64 * i + threadIdx.x], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  __syncthreads();
  out[threadIdx.x] = 2 * tile[0][63 - threadIdx.x];
  out[64 + threadIdx.x] = 2 * tile[1][63 - threadIdx.x];  // expect: SYNC_ASYNC_COPY
}

int main() {
  Device<float> x(ramp(128)), out(128);
  twice<<<1, 64>>>(x.data, out.data);
  return cudaDeviceSynchronize();
}
