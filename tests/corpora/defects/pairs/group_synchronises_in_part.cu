#include "../../pair.cuh"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void reduce(const int* x, int* y) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = x[threadIdx.x];
#ifdef DEFECT
  if (tile.thread_rank() < 16) v += tile.shfl_xor(v, 8);  // expect: SYNC_DEADLOCK, SYNC_INVALID_MASK
  tile.sync();
#else
  v += tile.shfl_xor(v, 8);
  tile.sync();
#endif
  y[threadIdx.x] = v;
}

int main() {
  Device<int> x(ramp<int>(64)), y(64);
  reduce<<<1, 64>>>(x.data, y.data);
  return 0;
}
