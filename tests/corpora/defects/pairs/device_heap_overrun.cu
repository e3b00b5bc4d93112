#include "../../pair.cuh"

__global__ void collect(const int* x, int* y, int n) {
  int* list = (int*)malloc(n * sizeof(int));
#ifdef DEFECT
  for (int i = 0; i <= n; ++i) list[i] = x[i];  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int i = 0; i < n; ++i) list[i] = x[i];
#endif
  y[threadIdx.x] = list[threadIdx.x % n];
  free(list);
}

int main() {
  Device<int> x(ramp<int>(16)), y(8);
  collect<<<1, 8>>>(x.data, y.data, 10);
  REQUIRE(y.host()[7] == 7);
  return 0;
}
