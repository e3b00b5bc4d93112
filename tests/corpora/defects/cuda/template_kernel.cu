#include "../../check.cuh"

template <typename T, int N>
__global__ void fill(T* x) {
  __shared__ T s[N];
  s[threadIdx.x % N] = T(threadIdx.x);  // expect: RACE_SHARED
  T mine = s[threadIdx.x % N];
  x[threadIdx.x + N] = mine;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  Device<double> x(64);
  fill<double, 32><<<1, 64>>>(x.data);
  return 0;
}
