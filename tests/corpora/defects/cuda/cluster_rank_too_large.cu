// The launch makes no cluster, and the kernel asks for its second block.
#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void neighbours(int* out) {
  __shared__ int mine[32];
  auto cluster = cooperative_groups::this_cluster();
  mine[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[threadIdx.x] = *cluster.map_shared_rank(&mine[threadIdx.x], 1);  // expect: MEM_OUT_OF_BOUNDS
  cluster.sync();
}

int main() {
  Device<int> out(32);
  neighbours<<<2, 32>>>(out.data);
  return cudaDeviceSynchronize() == cudaSuccess;
}
