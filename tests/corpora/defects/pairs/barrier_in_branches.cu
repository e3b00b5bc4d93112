#include "../../pair.cuh"

__global__ void split(const int* x, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) {
#ifdef DEFECT
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
  } else {
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
#else
    s[t] += 1;
  } else {
    s[t] += 2;
#endif
  }
  __syncthreads();
  y[t] = s[63 - t];
}

int main() {
  Device<int> x(ramp<int>(64)), y(64);
  split<<<1, 64>>>(x.data, y.data);
  return 0;
}
