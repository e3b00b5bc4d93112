#include "../../pair.cuh"

__device__ int depth(int n) {
  volatile int here[64];
  here[n & 63] = n;  // expect: MEM_STACK_OVERFLOW
#ifdef DEFECT
  return n == 0 ? 0 : 1 + depth(n + 1) + here[n & 63] * 0;  // expect: MEM_STACK_OVERFLOW
#else
  return n == 0 ? 0 : 1 + depth(n - 1) + here[n & 63] * 0;
#endif
}

__global__ void measure(int* y) { *y = depth(3); }

int main() {
  Device<int> y(1);
  measure<<<1, 1>>>(y.data);
  REQUIRE(y.host()[0] == 3);
  return 0;
}
