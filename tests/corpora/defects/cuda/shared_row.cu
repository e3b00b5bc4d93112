#include "../../check.cuh"

__global__ void transpose(const float* x, float* y) {
  __shared__ float tile[32][33];
  int column = threadIdx.x;
  for (int row = 0; row < 32; ++row) tile[row][column] = x[row * 40 + column];  // expect: MEM_OUT_OF_BOUNDS, RACE_SHARED
  __syncthreads();
  if (column < 32) y[column] = tile[column][0];
}

int main() {
  Device<float> x(ramp(32 * 40)), y(32);
  transpose<<<1, 40>>>(x.data, y.data);
  return 0;
}
