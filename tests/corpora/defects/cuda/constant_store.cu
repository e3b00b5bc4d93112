#include "../../check.cuh"

__constant__ float table[16];

__global__ void change(float* y) {
  table[threadIdx.x] = 1.0f;  // expect: MEM_READ_ONLY
  y[threadIdx.x] = table[threadIdx.x];
}

int main() {
  Device<float> y(16);
  change<<<1, 16>>>(y.data);
  return 0;
}
