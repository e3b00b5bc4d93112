// A block reads the shared memory of another one of its cluster, which has returned by then.
#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void __cluster_dims__(2, 1, 1) neighbours(int* out) {
  __shared__ int mine[32];
  auto cluster = cooperative_groups::this_cluster();
  mine[threadIdx.x] = threadIdx.x;
  cluster.sync();
  if (cluster.block_rank() == 0) return;
  __syncthreads();
  out[threadIdx.x] = cluster.map_shared_rank(mine, 0)[31 - threadIdx.x];  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  neighbours<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  return 0;
}
