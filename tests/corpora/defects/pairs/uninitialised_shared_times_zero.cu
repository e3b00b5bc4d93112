#include "../../pair.cuh"

// A running softmax: what the first step makes of the sum is multiplied by zero, whatever it was, unless it was no number.
__global__ void softmax_sum(const float* x, float* y, int n) {
  __shared__ float largest, sum;
  if (threadIdx.x == 0) {
    largest = -INFINITY;
#ifndef DEFECT
    sum = 0;
#endif
    for (int i = 0; i < n; ++i) {
      const float next = fmaxf(largest, x[i]);
      sum = sum * expf(largest - next) + expf(x[i] - next);  // expect: INIT_UNINITIALISED_READ
      largest = next;
    }
    *y = sum;
  }
}

int main() {
  Device<float> x(ramp(20)), y(1);
  softmax_sum<<<1, 32>>>(x.data, y.data, 20);
  return y.host()[0] > 0 ? 0 : 1;
}
