#include "../../pair.cuh"

__global__ void sums(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  int v = x[i], lane = threadIdx.x % 32, lanes = __popc(mask);
  for (int offset = 16; offset > 0; offset /= 2) {
    int other = __shfl_down_sync(mask, v, offset);
    if (lane + offset < lanes) v += other;
  }
  if (lane == 0) atomicAdd(y, v);
}

__global__ void groups(const int* x, int* counts) {
  int key = x[threadIdx.x] % 3;
  unsigned peers = __match_any_sync(0xffffffffu, key);
  int leader = __ffs(peers) - 1;
  if ((int)(threadIdx.x % 32) == leader) atomicAdd(&counts[key], __popc(peers));
}

int main() {
  Device<int> x(std::vector<int>(77, 1)), y(std::vector<int>{0}), counts(std::vector<int>(3, 0));
  sums<<<2, 64>>>(x.data, y.data, 77);
  groups<<<1, 64>>>(x.data, counts.data);
  REQUIRE(y.host()[0] == 77 && counts.host()[1] == 64);
  return 0;
}
