#include "../../pair.cuh"

__global__ void rotate(const float* x, float* y) {
  float m[3][3];
#ifdef DEFECT
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) m[r][c] = x[threadIdx.x * 9 + (r * 3 + c) % 9];  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m[r][c] = x[threadIdx.x * 9 + (r * 3 + c) % 9];
#endif
  y[threadIdx.x] = m[0][0] + m[1][1] + m[2][2];
}

int main() {
  Device<float> x(ramp(288)), y(32);
  rotate<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 12);
  return 0;
}
