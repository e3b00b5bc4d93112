#include "../../pair.cuh"

__global__ void interleave(const float* x, float2* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  y[i / 2] = make_float2(x[i], x[i]);  // expect: RACE_GLOBAL
#else
  if (i % 2 == 0) y[i / 2].x = x[i];
  else y[i / 2].y = x[i];
#endif
}

int main() {
  Device<float> x(ramp(128));
  Device<float2> y(64);
  interleave<<<2, 64>>>(x.data, y.data, 128);
  return 0;
}
