#include "../../check.cuh"

__global__ void reverse(const float* x, float* y) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  float* p = tile;
  p[t] = x[t];
  __syncthreads();
  y[t] = p[128 - t];  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<float> x(ramp(128)), y(128);
  reverse<<<1, 128>>>(x.data, y.data);
  return 0;
}
