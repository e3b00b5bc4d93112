#include "../../check.cuh"

__global__ void window(const float* x, float* y, int taps) {
  float last[4] = {0, 0, 0, 0};
  for (int i = 0; i < taps; ++i) {
    last[i] = x[threadIdx.x + i];  // expect: MEM_OUT_OF_BOUNDS
  }
  y[threadIdx.x] = last[0] + last[1] + last[2] + last[3];
}

int main() {
  Device<float> x(ramp(64)), y(32);
  window<<<1, 32>>>(x.data, y.data, 5);
  return 0;
}
