#include <cub/cub.cuh>

#include "../../check.cuh"

__global__ void moments(const float* x, float* out) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ Reduce::TempStorage storage;
  float v = x[threadIdx.x];
  float sum = Reduce(storage).Sum(v);
  float squares = Reduce(storage).Sum(v * v);  // expect: RACE_SHARED
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = squares;
  }
}

int main() {
  Device<float> x(ramp(128)), out(2);
  moments<<<1, 128>>>(x.data, out.data);
  return cudaDeviceSynchronize();
}
