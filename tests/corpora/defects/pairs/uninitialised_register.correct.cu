#include "../../pair.cuh"

__global__ void sum(const float* x, float* y, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i) total += x[threadIdx.x * n + i];
  y[threadIdx.x] = total;
}

int main() {
  Device<float> x(ramp(256)), y(32);
  sum<<<1, 32>>>(x.data, y.data, 8);
  return 0;
}
