#include "../../pair.cuh"

#include <cub/cub.cuh>

// The sum is the first thread's alone.
__global__ void normalise(const float* x, float* y) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float shared;
  float value = x[threadIdx.x];
  float sum = Reduce(storage).Sum(value);
  if (threadIdx.x == 0) shared = sum;
  __syncthreads();
#ifdef DEFECT
  y[threadIdx.x] = value / sum;  // expect: INIT_UNINITIALISED_READ
#else
  y[threadIdx.x] = value / shared;
#endif
}

int main() {
  Device<float> x(ramp(128)), y(128);
  normalise<<<1, 128>>>(x.data, y.data);
  printf("%f\n", y.host()[3]);
  return 0;
}
