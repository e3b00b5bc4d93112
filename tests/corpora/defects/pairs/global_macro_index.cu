#include "../../pair.cuh"

#define INDEX(row, column, pitch) ((row) * (pitch) + (column))

__global__ void transpose(const float* x, float* y, int w, int h) {
  int c = threadIdx.x, r = threadIdx.y;
#ifdef DEFECT
  y[INDEX(c, r, w)] = x[INDEX(r, c, w)];  // expect: MEM_OUT_OF_BOUNDS
#else
  y[INDEX(c, r, h)] = x[INDEX(r, c, w)];
#endif
}

int main() {
  Device<float> x(ramp(32 * 8)), y(32 * 8);
  transpose<<<1, dim3(32, 8)>>>(x.data, y.data, 32, 8);
  REQUIRE(y.host()[1] == 32 % 17);
  return 0;
}
