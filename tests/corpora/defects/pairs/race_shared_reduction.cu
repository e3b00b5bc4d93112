#include "../../pair.cuh"

template <class T>
__device__ void reduce(T* s, int t) {
  for (int half = 64; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];  // expect: RACE_SHARED
#ifndef DEFECT
    __syncthreads();
#endif
  }
}

__global__ void sum(const int* x, int* y) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  reduce(s, t);
  if (t == 0) *y = s[0];
}

int main() {
  Device<int> x(std::vector<int>(128, 1)), y(1);
  sum<<<1, 128, 512>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 128);
  return 0;
}
