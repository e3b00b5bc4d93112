#include "../../pair.cuh"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void rotate(const int* x, int* y) {
  __shared__ int s[128];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x, base = t - tile.thread_rank();
  s[t] = x[t];
#ifndef DEFECT
  tile.sync();
#endif
  y[t] = s[base + (tile.thread_rank() + 1) % tile.size()];  // expect: RACE_SHARED
}

int main() {
  Device<int> x(ramp<int>(128)), y(128);
  rotate<<<1, 128>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 1 && y.host()[15] == 0);
  return 0;
}
