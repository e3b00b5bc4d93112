// Six blocks cannot be clusters of four.
#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void __cluster_dims__(4, 1, 1) ranks(unsigned* out) {
  out[blockIdx.x] = cooperative_groups::this_cluster().block_rank();
}

int main() {
  Device<unsigned> out(8);
  ranks<<<8, 1>>>(out.data);
  ranks<<<6, 1>>>(out.data);  // expect: LAUNCH_CONFIGURATION
  return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() == cudaSuccess;
}
