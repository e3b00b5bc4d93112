#include "../../pair.cuh"

__global__ void mean(const float* x, float* sum, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  atomicAdd(sum, x[i]);
  __syncthreads();
  y[i] = x[i] - *sum / n;  // expect: RACE_GLOBAL
#else
  if (y == nullptr) atomicAdd(sum, x[i]);
  else y[i] = x[i] - *sum / n;
#endif
}

int main() {
  Device<float> x(std::vector<float>(256, 1.0f)), sum(std::vector<float>{0}), y(256);
#ifndef DEFECT
  mean<<<2, 128>>>(x.data, sum.data, nullptr, 256);
#endif
  mean<<<2, 128>>>(x.data, sum.data, y.data, 256);
  REQUIRE(y.host()[0] == 0);
  return 0;
}
