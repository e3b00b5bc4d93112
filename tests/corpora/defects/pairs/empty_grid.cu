#include "../../pair.cuh"

__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

int main() {
  int n = 100;
  Device<int> x(n);
#ifdef DEFECT
  fill<<<n / 256, 256>>>(x.data, n);  // expect: LAUNCH_CONFIGURATION
#else
  fill<<<(n + 255) / 256, 256>>>(x.data, n);
#endif
  return 0;
}
