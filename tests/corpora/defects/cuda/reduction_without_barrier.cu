#include "../../check.cuh"

__global__ void sum(const float* x, float* y) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[t];
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  // expect: RACE_SHARED
  }
  if (t == 0) *y = part[0];
}

int main() {
  Device<float> x(ramp(256)), y(1);
  sum<<<1, 256>>>(x.data, y.data);
  return 0;
}
