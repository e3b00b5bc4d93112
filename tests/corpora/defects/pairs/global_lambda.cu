#include "../../pair.cuh"

template <class F>
__global__ void for_each(int n, F body) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body(i);
}

int main() {
  Device<long long> y(128);
  auto* out = y.data;
  auto store = [=] __device__(int i) {
#ifdef DEFECT
    out[2 * i] = i;  // expect: MEM_OUT_OF_BOUNDS
#else
    out[127 - i] = i;
#endif
  };
  for_each<<<2, 64>>>(128, store);
  REQUIRE(y.host()[127] == 0);
  return 0;
}
