#include "../../pair.cuh"

#include <cuda_fp16.h>

template <typename T, int kWidth>
__global__ void sums(const T* x, T* y, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * kWidth;
  T total = T(0.0f);
#pragma unroll
#ifdef DEFECT
  for (int k = 0; k <= kWidth; ++k) total = total + x[i + k];  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int k = 0; k < kWidth; ++k) total = total + x[i + k];
#endif
  y[i / kWidth] = total;
}

int main() {
  Device<__half> x(std::vector<__half>(256, __float2half(1.0f))), y(64);
  sums<__half, 4><<<1, 64>>>(x.data, y.data, 256);
  REQUIRE(__half2float(y.host()[5]) == 4);
  return 0;
}
