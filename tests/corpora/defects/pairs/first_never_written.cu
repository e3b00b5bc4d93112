#include "../../pair.cuh"

__global__ void differences(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n) y[i] = x[i] - x[i - 1];
#ifndef DEFECT
  if (i == 0) y[0] = x[0];
#endif
}

int main() {
  Device<int> x(ramp<int>(64)), y(64);
  int host[64], smallest = 1000;
  differences<<<1, 64>>>(x.data, y.data, 64);
  cudaMemcpy(host, y.data, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i) smallest = host[i] < smallest ? host[i] : smallest;  // expect: INIT_UNINITIALISED_READ
  printf("%d\n", smallest);
  return 0;
}
