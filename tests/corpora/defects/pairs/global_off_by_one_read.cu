#include "../../pair.cuh"

__global__ void differences(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i < n) y[i] = x[i + 1] - x[i];  // expect: MEM_OUT_OF_BOUNDS
#else
  if (i < n) y[i] = (i + 1 < n ? x[i + 1] : x[0]) - x[i];
#endif
}

int main() {
  Device<float> x(ramp(200)), y(200);
  differences<<<2, 128>>>(x.data, y.data, 200);
  REQUIRE(y.host()[3] == 1);
  return 0;
}
