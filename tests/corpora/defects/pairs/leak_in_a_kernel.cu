#include "../../pair.cuh"

__global__ void sort(const int* x, int* y, int n) {
  int* copy = (int*)malloc(n * sizeof(int));  // expect: LEAK_DEVICE
  for (int i = 0; i < n; ++i) copy[i] = x[i];
  y[threadIdx.x] = copy[n - 1];
#ifndef DEFECT
  free(copy);
#endif
}

int main() {
  Device<int> x(ramp<int>(16)), y(4);
  sort<<<1, 4>>>(x.data, y.data, 16);
  return 0;
}
