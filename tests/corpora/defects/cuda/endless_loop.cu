#include "../../check.cuh"

__global__ void spin(float* x) {
  int i = 0;
  while (i != 3) i = (i + 2) % 8;  // expect: LAUNCH_TIME
  *x = i;
}

int main() {
  Device<float> x(1);
  spin<<<1, 1>>>(x.data);
  return 0;
}
