// One thread of a group does the work and tells all others of it; groups by what their threads say.
#include <cooperative_groups.h>

#include "../../check.cuh"

namespace cg = cooperative_groups;

// The threads that say yes take places side by side, those that say no others.
__global__ void place(int* out, int* taken) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  bool yes = threadIdx.x % 3 == 0;
  auto group = cg::binary_partition<32>(tile, yes);
  int first = cg::invoke_one_broadcast(group, [&]() { return atomicAdd(taken, (int)group.size()); });
  out[first + group.thread_rank()] = yes;
}

int main() {
  Device<int> out(32), taken(std::vector<int>{0});
  place<<<1, 32>>>(out.data, taken.data);
  auto placed = out.host();
  int sum = 0, changes = 0;
  for (int i = 0; i < 32; ++i) {
    sum += placed[i];
    changes += i > 0 && placed[i] != placed[i - 1];
  }
  REQUIRE(taken.host()[0] == 32 && sum == 11 && changes == 1);
  return 0;
}
