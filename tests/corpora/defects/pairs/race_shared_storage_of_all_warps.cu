// CUB asks for a storage of its own for each warp that works with it.
#include <cub/cub.cuh>

#include "../../pair.cuh"

__global__ void sums(const int* x, int* out) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } storage[4];
  const int i = blockIdx.x * 128 + threadIdx.x;
#ifdef DEFECT
  const int warp = 0;
#else
  const int warp = threadIdx.x / 32;
#endif
  const int sum = Reduce(storage[warp].reduce).Sum(x[i]);  // expect: RACE_SHARED
  int before;
  Scan(storage[warp].scan).ExclusiveSum(x[i], before);  // expect: RACE_SHARED
  if (threadIdx.x % 32 == 0) out[i / 32] = sum + before;
}

int main() {
  Device<int> x(std::vector<int>(256, 1)), out(8);
  sums<<<2, 128>>>(x.data, out.data);
  for (int each : out.host()) REQUIRE(each == 32);
  return 0;
}
