#include "../../pair.cuh"

__global__ void scan_step(const int* x, int* y, int offset) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
#ifdef DEFECT
  int other = s[t - offset];  // expect: MEM_OUT_OF_BOUNDS
#else
  int other = t >= offset ? s[t - offset] : 0;
#endif
  y[t] = s[t] + other;
}

int main() {
  Device<int> x(ramp<int>(128)), y(128);
  scan_step<<<1, 128>>>(x.data, y.data, 1);
  REQUIRE(y.host()[2] == 3);
  return 0;
}
