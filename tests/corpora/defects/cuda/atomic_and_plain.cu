#include "../../check.cuh"

__global__ void count(const float* x, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  atomicAdd(&total, x[threadIdx.x] > 0);  // expect: RACE_SHARED
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}

int main() {
  Device<float> x(ramp(64));
  Device<int> out(1);
  count<<<1, 64>>>(x.data, out.data);
  return 0;
}
