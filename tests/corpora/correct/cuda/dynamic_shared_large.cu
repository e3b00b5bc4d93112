#include "../../check.cuh"

__global__ void reverse(const float* x, float* y, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* values = reinterpret_cast<float*>(raw);
  int* order = reinterpret_cast<int*>(values + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    values[i] = x[i];
    order[i] = n - 1 - i;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = values[order[i]];
}

int main() {
  const int n = 8000;
  auto host = ramp(n);
  Device<float> x(host), y(n);
  REQUIRE(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 8) == cudaSuccess);
  reverse<<<1, 128, n * 8>>>(x.data, y.data, n);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  auto o = y.host();
  for (int i = 0; i < n; ++i) REQUIRE(o[i] == host[n - 1 - i]);
  return 0;
}
