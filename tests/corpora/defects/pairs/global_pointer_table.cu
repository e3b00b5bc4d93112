#include "../../pair.cuh"

__global__ void gather(float** rows, float* y, int width) {
  int row = blockIdx.x, i = threadIdx.x;
#ifdef DEFECT
  y[row * width + i] = rows[row][i + row];  // expect: MEM_OUT_OF_BOUNDS
#else
  y[row * width + i] = rows[row][(i + row) % width];
#endif
}

int main() {
  Device<float> a(ramp(32)), b(ramp(32)), y(64);
  Device<float*> rows(std::vector<float*>{a.data, b.data});
  gather<<<2, 32>>>(rows.data, y.data, 32);
  REQUIRE(y.host()[32] == 1);
  return 0;
}
