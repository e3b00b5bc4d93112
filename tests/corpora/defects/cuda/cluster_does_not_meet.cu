// A block reads what its neighbour in the cluster stores, and nothing orders the two.
#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void __cluster_dims__(2, 1, 1) neighbours(int* out) {
  __shared__ int mine[32];
  auto cluster = cooperative_groups::this_cluster();
  mine[threadIdx.x] = threadIdx.x;
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  mine[threadIdx.x] += 1;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x];  // expect: RACE_SHARED
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  neighbours<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  return 0;
}
