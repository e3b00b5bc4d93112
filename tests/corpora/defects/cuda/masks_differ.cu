#include "../../check.cuh"

__global__ void sum(const float* x, float* y) {
  float v = x[threadIdx.x];
  unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0001u;
  v += __shfl_xor_sync(mask, v, 1);  // expect: SYNC_INVALID_MASK
  __syncthreads();
  y[threadIdx.x] = v;
}

int main() {
  Device<float> x(ramp(32)), y(32);
  sum<<<1, 32>>>(x.data, y.data);
  return 0;
}
