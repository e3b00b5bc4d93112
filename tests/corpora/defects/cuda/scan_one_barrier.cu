#include "../../check.cuh"

__global__ void scan(float* x) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    float left = t >= d ? s[t - d] : 0.0f;
    s[t] += left;  // expect: RACE_SHARED
  }
  x[t] = s[t];
}

int main() {
  Device<float> x(ramp(128));
  scan<<<1, 128>>>(x.data);
  return 0;
}
