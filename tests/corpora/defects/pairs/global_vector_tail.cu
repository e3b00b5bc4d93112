#include "../../pair.cuh"

__global__ void copy4(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i < (n + 3) / 4) y[i] = x[i];  // expect: MEM_OUT_OF_BOUNDS
#else
  if (i < n / 4) y[i] = x[i];
  if (i == 0)
    for (int k = n / 4 * 4; k < n; ++k) ((float*)y)[k] = ((const float*)x)[k];
#endif
}

int main() {
  const int n = 1001;
  Device<float> x(ramp(n)), y(n);
  copy4<<<1, 256>>>(reinterpret_cast<float4*>(x.data), reinterpret_cast<float4*>(y.data), n);
  REQUIRE(y.host()[1000] == 1000 % 17);
  return 0;
}
