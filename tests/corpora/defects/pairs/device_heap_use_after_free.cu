#include "../../pair.cuh"

__global__ void chain(int* y) {
  int* node = (int*)malloc(2 * sizeof(int));
  node[0] = threadIdx.x;
#ifdef DEFECT
  free(node);
  y[threadIdx.x] = node[0];  // expect: MEM_USE_AFTER_FREE
#else
  y[threadIdx.x] = node[0];
  free(node);
#endif
}

int main() {
  Device<int> y(32);
  chain<<<1, 32>>>(y.data);
  REQUIRE(y.host()[31] == 31);
  return 0;
}
