#include "../../check.cuh"

__global__ void split(float* x) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) {
    __syncthreads();
    s[t] *= 2.0f;
  } else {
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
    s[t] *= 3.0f;
  }
  x[t] = s[t];
}

int main() {
  Device<float> x(ramp(64));
  split<<<1, 64>>>(x.data);
  return 0;
}
