#include "../../pair.cuh"

__constant__ float weights[8];

__global__ void apply(float* y) { y[threadIdx.x] = weights[threadIdx.x & 7]; }

int main() {
  float host[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
#ifdef DEFECT
  cudaMemcpyToSymbol(weights, host, sizeof host);  // expect: MEM_OUT_OF_BOUNDS
#else
  cudaMemcpyToSymbol(weights, host, sizeof weights);
#endif
  Device<float> y(16);
  apply<<<1, 16>>>(y.data);
  return 0;
}
