#include "../../pair.cuh"

__global__ void largest(const float* x, float* y, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
#ifdef DEFECT
  if (t < n) s[t] = x[t];
#else
  s[t] = t < n ? x[t] : -1e30f;
#endif
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (t < half) s[t] = fmaxf(s[t], s[t + half]);  // expect: INIT_UNINITIALISED_READ
    __syncthreads();
  }
  if (t == 0) *y = s[0];
}

int main() {
  Device<float> x(ramp(100)), y(1);
  largest<<<1, 128>>>(x.data, y.data, 100);
  return 0;
}
