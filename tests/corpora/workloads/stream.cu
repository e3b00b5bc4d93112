#include "../pair.cuh"

// Element by element: one load and one store of global memory for each thread and round.
__global__ void axpy(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}

int main() {
  const int n = 1 << 20;
  Device<float> x(ramp(n)), y(ramp(n));
  for (int round = 0; round < 8; ++round) axpy<<<256, 256>>>(x.data, y.data, 0.5f, n);
  REQUIRE(y.host()[1] == 5);
  return 0;
}
