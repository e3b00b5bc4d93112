// Kernels launched by address: typed, as void*, through a table, and with a template's instance.
#include "../../check.cuh"

__global__ void fill(int* x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

template <class T, int step>
__global__ void advance(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += (T)step;
}

int main() {
  const int n = 70;
  Device<int> x(n);
  int count = n, value = 3;
  void* filling[] = {&x.data, &count, &value};
  REQUIRE(cudaLaunchKernel((const void*)fill, dim3(2), dim3(64), filling, 0, nullptr) == cudaSuccess);
  void* advancing[] = {&x.data, &count};
  const void* table[] = {(const void*)advance<int, 1>, reinterpret_cast<const void*>(&advance<int, 10>)};
  for (const void* kernel : table) REQUIRE(cudaLaunchKernel(kernel, dim3(2), dim3(64), advancing) == cudaSuccess);
  auto host = x.host();
  REQUIRE(host[0] == 14 && host[n - 1] == 14);
  int unknown = 0;
  REQUIRE(cudaLaunchKernel((const void*)&unknown, dim3(1), dim3(1), advancing) == cudaErrorInvalidDeviceFunction);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  return 0;
}
