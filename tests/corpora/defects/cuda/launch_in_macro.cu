#include "../../check.cuh"

#define RUN(kernel, count, ...) \
  kernel<<<(count + 63) / 64, 64>>>(__VA_ARGS__)

__global__ void fill(float* x, int n) {
  x[blockIdx.x * 64 + threadIdx.x] = (float)n;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<float> x(100);
  RUN(fill, 100, x.data, 100);
  return 0;
}
