#include "../../check.cuh"

__global__ void sum(const float* x, float* y) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 16) {
    v += __shfl_down_sync(0xffffffff, v, 8);  // expect: SYNC_DEADLOCK
  }
  __syncthreads();
  y[threadIdx.x] = v;
}

int main() {
  Device<float> x(ramp(32)), y(32);
  sum<<<1, 32>>>(x.data, y.data);
  return 0;
}
