#include "../../pair.cuh"

__global__ void choose(const int* x, int* y) {
  int v = x[threadIdx.x];
  int result = -1;
  if (v > 8) result = v * 2;
  else if (v < 4) result = v;
  y[threadIdx.x] = result;
}

int main() {
  Device<int> x(ramp<int>(32)), y(32);
  choose<<<1, 32>>>(x.data, y.data);
  return 0;
}
