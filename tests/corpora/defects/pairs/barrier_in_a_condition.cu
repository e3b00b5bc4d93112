#include "../../pair.cuh"

__global__ void sum(const int* x, int* y, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
#ifdef DEFECT
      __syncthreads();  // expect: SYNC_DIVERGENT_BARRIER
    }
#else
    }
    __syncthreads();
#endif
  }
  if (t == 0) *y = s[0];
}

int main() {
  Device<int> x(std::vector<int>(64, 1)), y(1);
  sum<<<1, 64>>>(x.data, y.data, 64);
  REQUIRE(y.host()[0] == 64);
  return 0;
}
