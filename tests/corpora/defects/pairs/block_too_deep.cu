#include "../../pair.cuh"

__global__ void fill(int* x) { x[threadIdx.z] = 1; }

int main() {
  Device<int> x(128);
#ifdef DEFECT
  fill<<<1, dim3(1, 1, 128)>>>(x.data);  // expect: LAUNCH_CONFIGURATION
#else
  fill<<<1, dim3(1, 1, 64)>>>(x.data);
#endif
  return 0;
}
