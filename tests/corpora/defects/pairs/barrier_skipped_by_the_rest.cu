#include "../../pair.cuh"

__global__ void partial(const int* x, int* y, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
#ifdef DEFECT
  if (t < n) {
    s[t] = x[t];
    __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
    y[t] = s[n - 1 - t];
  }
#else
  if (t < n) s[t] = x[t];
  __syncthreads();
  if (t < n) y[t] = s[n - 1 - t];
#endif
}

int main() {
  Device<int> x(ramp<int>(48)), y(48);
  partial<<<1, 64>>>(x.data, y.data, 48);
  REQUIRE(y.host()[47] == 0);
  return 0;
}
