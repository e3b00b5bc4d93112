#include "../../pair.cuh"

__constant__ float weights[16];

__global__ void use(float* y) { y[threadIdx.x] = weights[threadIdx.x]; }

int main() {
  float host[16] = {1, 2, 3};
#ifdef DEFECT
  cudaMemcpy(weights, host, sizeof host, cudaMemcpyHostToDevice);  // expect: MEM_HOST_POINTER
#else
  cudaMemcpyToSymbol(weights, host, sizeof host);
#endif
  Device<float> y(16);
  use<<<1, 16>>>(y.data);
  return 0;
}
