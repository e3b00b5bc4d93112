#include "../../pair.cuh"

#include <cuda_fp16.h>

__global__ void pairs(const __half* x, __half* y, int columns) {
  const __half* row = x + blockIdx.x * columns;
#ifdef DEFECT
  __half2 v = ((const __half2*)row)[threadIdx.x];  // expect: MEM_MISALIGNED
#else
  __half2 v = __halves2half2(row[2 * threadIdx.x], row[2 * threadIdx.x + 1]);
#endif
  y[blockIdx.x * 8 + threadIdx.x] = __hadd(__low2half(v), __high2half(v));
}

int main() {
  Device<__half> x(std::vector<__half>(51, __float2half(0.5f))), y(24);
  pairs<<<3, 8>>>(x.data, y.data, 17);
  REQUIRE(__half2float(y.host()[20]) == 1);
  return 0;
}
