#include "../../pair.cuh"

__global__ void passes(const int* x, int* y, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int start = 0; start < n; start += 64) {
    int i = start + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
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
