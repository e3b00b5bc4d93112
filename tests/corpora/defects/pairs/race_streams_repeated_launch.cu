#include "../../pair.cuh"

// Only the last of several equal launches is still under way when the other stream reads what it writes.
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void add_one(const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = y[i] + 1;  // expect: RACE_STREAM
}

int main() {
  const int n = 1024;
  Device<float> x(ramp(n)), y(n), z(n);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  for (int i = 0; i < 3; ++i) {
    twice<<<4, 256, 0, one>>>(x.data, y.data, n);
    cudaStreamSynchronize(one);
  }
  twice<<<4, 256, 0, one>>>(x.data, y.data, n);
#ifndef DEFECT
  cudaStreamSynchronize(one);
#endif
  add_one<<<4, 256, 0, two>>>(y.data, z.data, n);
  cudaDeviceSynchronize();
  REQUIRE(z.host()[16] == 33);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  return 0;
}
