#include "../../check.cuh"

__global__ void any(const float* x, int* y) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (x[threadIdx.x] > 7) found = 1;
  __syncthreads();
  if (threadIdx.x == 0) *y = found;
}

int main() {
  Device<float> x(ramp(128));
  Device<int> y(1);
  any<<<1, 128>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 1);
  return 0;
}
