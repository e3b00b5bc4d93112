#include "../../pair.cuh"

__device__ double add(double* address, double value) {
  auto* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double((long long)assumed)));
  } while (assumed != old);
  return __longlong_as_double((long long)old);
}

__global__ void extremes(const int* x, int* largest, double* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] > *largest) atomicMax(largest, x[i]);
  add(sum, 0.5 * x[i]);
}

int main() {
  Device<int> x(ramp<int>(170)), largest(std::vector<int>{-1});
  Device<double> sum(std::vector<double>{0});
  extremes<<<3, 64>>>(x.data, largest.data, sum.data, 170);
  REQUIRE(largest.host()[0] == 16 && sum.host()[0] == 680);
  return 0;
}
