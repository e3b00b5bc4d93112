#include <cuda_pipeline.h>

#include "../../check.cuh"

__global__ void twice(const float* x, float* out) {
  __shared__ alignas(16) float tile[64];
  if (threadIdx.x < 16) __pipeline_memcpy_async(&tile[4 * threadIdx.x], &x[4 * threadIdx.x + 1], 16);  // expect: MEM_MISALIGNED
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = 2 * tile[63 - threadIdx.x];
}

int main() {
  Device<float> x(ramp(65)), out(64);
  twice<<<1, 64>>>(x.data, out.data);
  return cudaDeviceSynchronize();
}
