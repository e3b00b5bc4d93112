#include "../../pair.cuh"

template <class T>
__device__ __noinline__ T at(const T* p, int i) {
  return p[i];  // expect: MEM_OUT_OF_BOUNDS
}

template <class T>
__global__ void reverse(const T* x, T* y, int n) {
  int i = threadIdx.x;
#ifdef DEFECT
  if (i < n) y[i] = at(x, n - i);
#else
  if (i < n) y[i] = at(x, n - 1 - i);
#endif
}

int main() {
  Device<short> x(ramp<short>(40)), y(40);
  reverse<<<1, 64>>>(x.data, y.data, 40);
  REQUIRE(y.host()[39] == 0);
  return 0;
}
