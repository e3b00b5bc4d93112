#include "../../pair.cuh"

__global__ void scale(const double* x, double* y, double factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  y[i] = factor * x[i % n];  // expect: MEM_OUT_OF_BOUNDS
#else
  if (i < n) y[i] = factor * x[i % n];
#endif
}

int main() {
  const int n = 1000;
  Device<double> x(ramp<double>(n)), y(n);
  scale<<<(n + 255) / 256, 256>>>(x.data, y.data, 2.0, n);
  REQUIRE(y.host()[999] == 2 * (999 % 17));
  return 0;
}
