#include "../../pair.cuh"

__global__ void blur(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef DEFECT
  float left = x[i - 1];  // expect: MEM_OUT_OF_BOUNDS
#else
  float left = i > 0 ? x[i - 1] : 0.0f;
#endif
  y[i] = 0.5f * (left + x[i]);
}

int main() {
  Device<float> x(ramp(256)), y(256);
  blur<<<4, 64>>>(x.data, y.data, 256);
  REQUIRE(y.host()[2] == 1.5f);
  return 0;
}
