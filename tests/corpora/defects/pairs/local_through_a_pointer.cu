#include "../../pair.cuh"

__device__ void shift(float* window, int n, float value) {
#ifdef DEFECT
  for (int i = 0; i < n; ++i) window[i] = window[i + 1];  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int i = 0; i + 1 < n; ++i) window[i] = window[i + 1];
#endif
  window[n - 1] = value;
}

__global__ void median(const float* x, float* y) {
  float window[6] = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 10; ++i) shift(window, 6, x[threadIdx.x + i]);
  y[threadIdx.x] = window[2];
}

int main() {
  Device<float> x(ramp(64)), y(32);
  median<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 6);
  return 0;
}
