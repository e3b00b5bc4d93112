#include <cstdlib>

#include "../../pair.cuh"

__global__ void doubled(float* x) { x[threadIdx.x] *= 2; }  // expect: MEM_HOST_POINTER

int main() {
  float* x = (float*)malloc(64 * sizeof(float));
  for (int i = 0; i < 64; ++i) x[i] = i;
  cudaHostRegister(x, 64 * sizeof(float), cudaHostRegisterDefault);
#ifdef DEFECT
  cudaHostUnregister(x);
#endif
  doubled<<<1, 64>>>(x);
  cudaDeviceSynchronize();
#ifndef DEFECT
  cudaHostUnregister(x);
#endif
  free(x);
  return 0;
}
