#include "../../pair.cuh"

__constant__ float weights[5];

__global__ void convolve(const float* x, float* y, int n) {
  int i = threadIdx.x;
  float sum = 0;
#ifdef DEFECT
  for (int k = 0; k <= 5; ++k) sum += weights[k] * x[(i + k) % n];  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int k = 0; k < 5; ++k) sum += weights[k] * x[(i + k) % n];
#endif
  y[i] = sum;
}

int main() {
  float host[5] = {1, 1, 1, 1, 1};
  cudaMemcpyToSymbol(weights, host, sizeof host);
  Device<float> x(ramp(64)), y(64);
  convolve<<<1, 64>>>(x.data, y.data, 64);
  REQUIRE(y.host()[0] == 10);
  return 0;
}
