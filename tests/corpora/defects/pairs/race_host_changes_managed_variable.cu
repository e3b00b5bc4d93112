#include "../../pair.cuh"

__managed__ int step;

__global__ void advance(float* x) { x[threadIdx.x] += step; }

int main() {
  Device<float> x(std::vector<float>(64, 0.0f));
  for (int s = 1; s <= 3; ++s) {
    step = s;  // expect: RACE_STREAM
    advance<<<1, 64>>>(x.data);
#ifndef DEFECT
    cudaDeviceSynchronize();
#endif
  }
  return x.host()[0] == 6 ? 0 : 1;
}
