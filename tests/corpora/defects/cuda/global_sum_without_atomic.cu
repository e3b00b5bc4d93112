#include "../../check.cuh"

__global__ void sum(const float* x, float* y) {
  *y = *y + x[blockIdx.x];  // expect: RACE_GLOBAL
}

int main() {
  std::vector<float> ones(64, 1.0f);
  Device<float> x(ones), y(std::vector<float>{0});
  sum<<<64, 1>>>(x.data, y.data);
  return 0;
}
