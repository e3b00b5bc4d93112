#include "../../check.cuh"

#include <cuda_fp16.h>

__global__ void axpy(const __half* x, __half* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
}

__global__ void pairs(const __half2* x, __half2* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = __hadd2(x[i], x[i]);
}

int main() {
  std::vector<__half> hx(64), hy(64);
  for (int i = 0; i < 64; ++i) {
    hx[i] = __float2half((float)i);
    hy[i] = __float2half(1.0f);
  }
  Device<__half> x(hx), y(hy), z(64);
  axpy<<<1, 64>>>(x.data, y.data, 0.5f, 64);
  pairs<<<1, 32>>>((const __half2*)x.data, (__half2*)z.data, 32);
  auto oy = y.host(), oz = z.host();
  for (int i = 0; i < 64; ++i) {
    REQUIRE(__half2float(oy[i]) == 0.5f * i + 1);
    REQUIRE(__half2float(oz[i]) == 2.0f * i);
  }
  return 0;
}
