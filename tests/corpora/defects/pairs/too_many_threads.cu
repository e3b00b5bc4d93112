#include "../../pair.cuh"

__global__ void fill(int* x) { x[threadIdx.y * blockDim.x + threadIdx.x] = 1; }

int main() {
  Device<int> x(2048);
#ifdef DEFECT
  fill<<<1, dim3(64, 32)>>>(x.data);  // expect: LAUNCH_CONFIGURATION
#else
  fill<<<1, dim3(32, 32)>>>(x.data);
#endif
  cudaDeviceSynchronize();
  return 0;
}
