#include "../../pair.cuh"

#include <cub/cub.cuh>

// `Reduce` is a type here; its storage is an element of an array.
__global__ void sums(const int* x, int* y) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage[4];
  const int sum = Reduce(storage[threadIdx.x / 32]).Sum(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0) y[threadIdx.x / 32] = sum;
}

int main() {
  Device<int> x(ramp<int>(128)), y(4);
  sums<<<1, 128>>>(x.data, y.data);
  REQUIRE(y.host()[0] > 0);
  return 0;
}
