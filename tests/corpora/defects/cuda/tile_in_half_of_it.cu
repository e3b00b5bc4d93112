#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../../check.cuh"
namespace cg = cooperative_groups;

__global__ void sum(const int* x, int* out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = x[threadIdx.x];
  if (tile.thread_rank() < 8) v = cg::reduce(tile, v, cg::plus<int>());  // expect: SYNC_INVALID_MASK
  else v = tile.shfl(v, 0);
  out[threadIdx.x] = v;
}

int main() {
  Device<int> x(std::vector<int>(32, 1)), out(32);
  sum<<<1, 32>>>(x.data, out.data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
