#include "../../pair.cuh"

struct Sum {
  double total, lost;
};

__device__ void add(Sum& sum, double value) {
  const double corrected = value - sum.lost, next = sum.total + corrected;
  sum.lost = (next - sum.total) - corrected;
  sum.total = next;
}

__global__ void sums(const float* x, double* y, int columns) {
  Sum sum;
  sum.total = 0;
#ifndef DEFECT
  sum.lost = 0;
#endif
  for (int c = 0; c < columns; ++c) add(sum, x[threadIdx.x * columns + c]);
  y[threadIdx.x] = sum.total;  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<float> x(ramp(32 * 5));
  Device<double> y(32);
  sums<<<1, 32>>>(x.data, y.data, 5);
  return y.host()[0] == 10 ? 0 : 1;
}
