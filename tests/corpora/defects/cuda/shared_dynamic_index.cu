#include "../../check.cuh"

__global__ void stage(const float* x, float* y) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = x[threadIdx.x];  // expect: MEM_OUT_OF_BOUNDS
  __syncthreads();
  if (threadIdx.x < 64) y[threadIdx.x] = buffer[threadIdx.x];
}

int main() {
  Device<float> x(ramp(128)), y(128);
  stage<<<1, 128, 64 * sizeof(float)>>>(x.data, y.data);
  return 0;
}
