#include "../../pair.cuh"
#include <cuda_fp16.h>

// The halves meet inside of four bytes, and each stream touches its own alone.
__global__ void doubled(__half* y, int from, int to) {
  int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to) y[i] = __float2half(2.0f * i);
}

int main() {
  const int n = 259, middle = 129;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  Device<__half> y(n);
  Device<unsigned char> flags(n);
  doubled<<<2, 128, 0, first>>>(y.data, 0, middle);
  doubled<<<2, 128, 0, second>>>(y.data, middle, n);
  cudaMemsetAsync(flags.data, 1, middle, first);
  cudaMemsetAsync(flags.data + middle, 2, n - middle, second);
  cudaDeviceSynchronize();
  auto host = y.host();
  auto told = flags.host();
  REQUIRE(__half2float(host[middle - 1]) == 2.0f * (middle - 1) && __half2float(host[middle]) == 2.0f * middle);
  REQUIRE(told[middle - 1] == 1 && told[middle] == 2);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return 0;
}
