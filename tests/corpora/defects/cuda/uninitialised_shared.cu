#include "../../check.cuh"

__global__ void sum(const float* x, float* y) {
  __shared__ float part[64];
  if (threadIdx.x < 32) part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x];  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<float> x(ramp(64)), y(64);
  sum<<<1, 64>>>(x.data, y.data);
  return 0;
}
