#include "../../check.cuh"

template <class F>
__global__ void each(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

int main() {
  Device<float> x(60);
  float* p = x.data;
  each<<<1, 64>>>([=] __device__(int i) {
    p[i] = 1.0f;  // expect: MEM_OUT_OF_BOUNDS
  }, 64);
  return 0;
}
