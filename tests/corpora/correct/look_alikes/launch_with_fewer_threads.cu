#include "../../pair.cuh"

__global__ void fill(int* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = i;
}

int main() {
  const int n = 3000;
  Device<int> x(n);
  fill<<<1, 2048>>>(x.data, n);
  if (cudaGetLastError() != cudaSuccess) fill<<<1, 1024>>>(x.data, n);
  REQUIRE(x.host()[2999] == 2999);
  return 0;
}
