#include "../../check.cuh"

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }

int main() {
  float* x;
  cudaMallocHost(&x, 16 * sizeof(float));
  for (int i = 0; i < 16; ++i) x[i] = i;
  twice<<<1, 16>>>(x);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) x[i] = 0;  // expect: MEM_OUT_OF_BOUNDS
  cudaFreeHost(x);
  return 0;
}
