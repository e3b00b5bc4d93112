#include "../../pair.cuh"

#include <cuda_fp16.h>

__global__ void scale(const __half* x, __half* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = __hmul(x[i], __float2half(2.0f));  // expect: INIT_UNINITIALISED_READ
}

int main() {
  std::vector<__half> host(64, __float2half(1.0f));
  __half* x = nullptr;
  Device<__half> y(64);
  cudaMalloc(&x, 64 * sizeof(__half));
#ifdef DEFECT
  cudaMemcpy(x, host.data(), 64, cudaMemcpyHostToDevice);
#else
  cudaMemcpy(x, host.data(), 64 * sizeof(__half), cudaMemcpyHostToDevice);
#endif
  scale<<<1, 64>>>(x, y.data, 64);
  cudaFree(x);
  return 0;
}
