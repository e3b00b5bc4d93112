#include "../../pair.cuh"

#define THREADS 128

__global__ void __launch_bounds__(THREADS, 2) fill(float* x) { x[threadIdx.x] = 1; }

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 1024);
#ifdef DEFECT
  fill<<<1, 2 * THREADS>>>(x);  // expect: LAUNCH_CONFIGURATION
#else
  fill<<<1, THREADS>>>(x);
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
