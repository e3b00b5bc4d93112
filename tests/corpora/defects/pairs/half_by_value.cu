// A 16-bit number is a structure to the compiler.
#include <cuda_fp16.h>

#include "../../pair.cuh"

__device__ float refined(half x) {
  float guess = __half2float(x);
  for (int i = 0; i < 4; ++i) guess = 0.5f * (guess + __half2float(x) / guess);
  return guess;
}

__global__ void roots(const half* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  float both = refined(x[i]) + refined(x[0]);  // expect: MEM_OUT_OF_BOUNDS
#else
  float both = i < n ? refined(x[i]) + refined(x[0]) : 0;
#endif
  if (i < n) y[i] = both;
}

int main() {
  Device<half> x(std::vector<half>(100, __float2half(4)));
  Device<float> y(100);
  roots<<<1, 128>>>(x.data, y.data, 100);
  REQUIRE(fabsf(y.host()[99] - 4) < 1e-3f);
  return 0;
}
