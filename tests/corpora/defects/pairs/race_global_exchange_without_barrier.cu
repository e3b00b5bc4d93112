#include "../../pair.cuh"

__global__ void reverse_through(const double* x, double* scratch, double* y) {
  int t = threadIdx.x, base = blockIdx.x * blockDim.x;
  scratch[base + t] = 2 * x[base + t];
#ifndef DEFECT
  __syncthreads();
#endif
  y[base + t] = scratch[base + blockDim.x - 1 - t];  // expect: RACE_GLOBAL
}

int main() {
  Device<double> x(ramp<double>(256)), scratch(256), y(256);
  reverse_through<<<2, 128>>>(x.data, scratch.data, y.data);
  REQUIRE(y.host()[127] == 0);
  return 0;
}
