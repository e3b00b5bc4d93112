#include "../../pair.cuh"

// Who comes first is the parent: what a plain read finds meanwhile hangs on the order.
__global__ void adopt(int* parents, int* seen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicCAS(&parents[i / 2], -1, i);
#ifdef DEFECT
  seen[i] = parents[(i + 64) % n / 2];  // expect: RACE_GLOBAL
#else
  seen[i] = atomicCAS(&parents[(i + 64) % n / 2], -2, -2) != -2;
#endif
}

int main() {
  const int n = 128;
  Device<int> parents(std::vector<int>(n, -1)), seen(n);
  adopt<<<2, 64>>>(parents.data, seen.data, n);
  REQUIRE(parents.host()[0] >= 0 && seen.host()[5] >= -1);
  return 0;
}
