#include "../../pair.cuh"

__global__ void passes(const int* x, int* y, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += 64) {
    s[t] = x[i];
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
    sum += s[t ^ 1];
    __syncthreads();
  }
  s[t] = sum;
  __syncthreads();
  y[t] = s[63 - t];
}

int main() {
  Device<int> x(ramp<int>(100)), y(64);
  passes<<<1, 64>>>(x.data, y.data, 100);
  return 0;
}
