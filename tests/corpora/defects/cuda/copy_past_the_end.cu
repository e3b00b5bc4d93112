#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "../../check.cuh"
namespace cg = cooperative_groups;

__global__ void twice(const float* x, float* out) {
  __shared__ alignas(16) float tile[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, x, sizeof(float) * 64);  // expect: MEM_OUT_OF_BOUNDS
  cg::wait(block);
  out[threadIdx.x] = 2 * tile[63 - threadIdx.x];
}

int main() {
  Device<float> x(ramp(60)), out(64);
  twice<<<1, 64>>>(x.data, out.data);
  return cudaDeviceSynchronize();
}
