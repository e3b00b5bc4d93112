#include "../../check.cuh"

__global__ void last(const float* x, float* y) {
  __shared__ int winner;
  if (x[threadIdx.x] > 0) winner = threadIdx.x;  // expect: RACE_SHARED
  __syncthreads();
  if (threadIdx.x == 0) *y = (float)winner;
}

int main() {
  Device<float> x(ramp(64)), y(1);
  last<<<1, 64>>>(x.data, y.data);
  return 0;
}
