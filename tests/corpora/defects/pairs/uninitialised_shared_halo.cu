#include "../../pair.cuh"

__global__ void smooth(const float* x, float* y, int n) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = x[i];
  if (t == 0) tile[0] = i ? x[i - 1] : 0.0f;
#ifndef DEFECT
  if (t == 63) tile[65] = i + 1 < n ? x[i + 1] : 0.0f;
#endif
  __syncthreads();
  y[i] = tile[t] + tile[t + 2];  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<float> x(ramp(128)), y(128);
  smooth<<<2, 64>>>(x.data, y.data, 128);
  return 0;
}
