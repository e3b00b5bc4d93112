#include "../../pair.cuh"

__global__ void smooth(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;  // expect: RACE_GLOBAL
}

int main() {
  Device<float> x(ramp(256)), y(ramp(256));
#ifdef DEFECT
  smooth<<<4, 64>>>(x.data, x.data, 256);
#else
  smooth<<<4, 64>>>(x.data, y.data, 256);
#endif
  return 0;
}
