#include <cstdint>

#include "../../check.cuh"

__global__ void twice(const float4* x, float* out) {
  __shared__ float4 tile[16];
  if (threadIdx.x < 16) {
    uint32_t to = (uint32_t)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + threadIdx.x));
  }
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;");
  __syncthreads();
  out[threadIdx.x] = 2 * ((float*)tile)[threadIdx.x];  // expect: SYNC_ASYNC_COPY
}

int main() {
  Device<float> x(ramp(64)), out(64);
  twice<<<1, 64>>>((const float4*)x.data, out.data);
  return cudaDeviceSynchronize();
}
