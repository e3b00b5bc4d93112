#include "../../check.cuh"

template <typename T>
__global__ void reverse(const T* x, T* y, int n) {
  extern __shared__ unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = s[n - 1 - i];
}

int main() {
  const int n = 15000;
  auto host = ramp(n);
  Device<float> x(host), y(n);
  cudaFuncSetAttribute(reverse<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4);
  reverse<<<1, 96, n * sizeof(float)>>>(x.data, y.data, n);
  auto o = y.host();
  for (int i = 0; i < n; ++i) REQUIRE(o[i] == host[n - 1 - i]);
  return 0;
}
