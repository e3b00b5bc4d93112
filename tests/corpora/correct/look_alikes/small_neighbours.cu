#include "../../pair.cuh"

#include <cuda_fp16.h>

// Bytes and halves beside each other belong to different threads of different blocks.
__global__ void split(const int* x, unsigned char* bytes, short* shorts, __half* halves, bool* odd) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i] = (unsigned char)x[i];
  shorts[i] = (short)-x[i];
  halves[i] = __int2half_rn(x[i]);
  odd[i] = x[i] & 1;
}

int main() {
  const int n = 90;
  Device<int> x(ramp<int>(n));
  Device<unsigned char> bytes(n);
  Device<short> shorts(n);
  Device<__half> halves(n);
  bool* odd = nullptr;
  cudaMalloc(&odd, n);
  split<<<6, 15>>>(x.data, bytes.data, shorts.data, halves.data, odd);
  REQUIRE(bytes.host()[33] == 16 && shorts.host()[33] == -16);
  cudaFree(odd);
  return 0;
}
