#include "../../pair.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void totals(const int* x, int* y) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = x[threadIdx.x];
#ifdef DEFECT
  if (threadIdx.x % 4 == 3) return;
#endif
  int s = cg::reduce(tile, v, cg::plus<int>());  // expect: SYNC_INVALID_MASK
  if (tile.thread_rank() == 0) y[tile.meta_group_rank()] = s;
}

int main() {
  int *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 8);
  cudaMemset(x, 0, 256);
  totals<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return 0;
}
