#include "../../pair.cuh"

__global__ void classify(const int* x, unsigned char* kinds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i < n) kinds[i / 2] = (unsigned char)(x[i] & 3);  // expect: RACE_GLOBAL
#else
  if (i < n) kinds[i] = (unsigned char)(x[i] & 3);
#endif
}

int main() {
  Device<int> x(ramp<int>(256));
  Device<unsigned char> kinds(256);
  cudaMemset(kinds.data, 0, 256);
  classify<<<4, 64>>>(x.data, kinds.data, 256);
  return 0;
}
