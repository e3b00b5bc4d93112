#include "../../pair.cuh"

__global__ void scan(const int* x, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
#ifdef DEFECT
    if (t >= offset) s[t] += s[t - offset];  // expect: RACE_SHARED
#else
    int v = t >= offset ? s[t - offset] : 0;
    __syncthreads();
    s[t] += v;
#endif
    __syncthreads();
  }
  y[t] = s[t];
}

int main() {
  Device<int> x(std::vector<int>(64, 1)), y(64);
  scan<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[63] == 64);
  return 0;
}
