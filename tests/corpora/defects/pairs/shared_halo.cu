#include "../../pair.cuh"

__global__ void stencil(const float* x, float* y, int n) {
#ifdef DEFECT
  __shared__ float tile[64];
#else
  __shared__ float tile[66];
#endif
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = x[i];  // expect: MEM_OUT_OF_BOUNDS
  if (t == 0) tile[0] = i > 0 ? x[i - 1] : 0.0f;
#ifndef DEFECT
  if (t == 63) tile[65] = i + 1 < n ? x[i + 1] : 0.0f;
#endif
  __syncthreads();
  y[i] = tile[t] + tile[t + 1];  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<float> x(ramp(128)), y(128);
  stencil<<<2, 64>>>(x.data, y.data, 128);
  REQUIRE(y.host()[64] == 63 % 17 + 64 % 17);
  return 0;
}
