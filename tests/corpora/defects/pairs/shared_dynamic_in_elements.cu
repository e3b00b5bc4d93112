#include "../../pair.cuh"

__global__ void reverse(const float* x, float* y) {
  extern __shared__ float buffer[];
  int t = threadIdx.x, n = blockDim.x;
  buffer[t] = x[t];  // expect: MEM_OUT_OF_BOUNDS
  __syncthreads();
  y[t] = buffer[n - 1 - t];  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<float> x(ramp(128)), y(128);
#ifdef DEFECT
  reverse<<<1, 128, 128>>>(x.data, y.data);
#else
  reverse<<<1, 128, 128 * sizeof(float)>>>(x.data, y.data);
#endif
  REQUIRE(y.host()[127] == 0);
  return 0;
}
