#include "../../pair.cuh"

__global__ void negate(const float* x, float* y, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef DEFECT
  if (row < columns && column < rows) y[row * columns + column] = -x[row * columns + column];  // expect: MEM_OUT_OF_BOUNDS
#else
  if (row < rows && column < columns) y[row * columns + column] = -x[row * columns + column];
#endif
}

int main() {
  Device<float> x(ramp(24 * 100)), y(24 * 100);
  negate<<<dim3(4, 4), dim3(32, 32)>>>(x.data, y.data, 24, 100);
  REQUIRE(y.host()[2399] == -(2399 % 17));
  return 0;
}
