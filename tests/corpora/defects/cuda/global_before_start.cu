#include "../../check.cuh"

__global__ void difference(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float left = x[i - 1];  // expect: MEM_OUT_OF_BOUNDS
  y[i] = x[i] - left;
}

int main() {
  Device<float> x(ramp(512)), y(512);
  difference<<<2, 256>>>(x.data, y.data, 512);
  return 0;
}
