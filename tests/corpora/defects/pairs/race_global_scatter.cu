#include "../../pair.cuh"

__global__ void scatter(const int* index, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  y[index[i]] += x[i];  // expect: RACE_GLOBAL
#else
  atomicAdd(&y[index[i]], x[i]);
#endif
}

int main() {
  Device<int> index(ramp<int>(128));
  Device<float> x(ramp(128)), y(std::vector<float>(17, 0.0f));
  scatter<<<2, 64>>>(index.data, x.data, y.data);
  REQUIRE(y.host()[1] == 8);
  return 0;
}
