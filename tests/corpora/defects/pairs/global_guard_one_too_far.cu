#include "../../pair.cuh"

__global__ void increment(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i > n) return;
#else
  if (i >= n) return;
#endif
  x[i] += 1;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<int> x(ramp<int>(100));
  increment<<<1, 128>>>(x.data, 100);
  REQUIRE(x.host()[16] == 17);
  return 0;
}
