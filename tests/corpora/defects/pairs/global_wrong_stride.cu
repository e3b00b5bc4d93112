#include "../../pair.cuh"

__global__ void relu(float* x, int n) {
  int stride = gridDim.x * blockDim.x;
#ifdef DEFECT
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - stride < n; i += stride) x[i] = fmaxf(x[i], 0.0f);  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) x[i] = fmaxf(x[i], 0.0f);
#endif
}

int main() {
  Device<float> x(ramp(512));
  relu<<<2, 64>>>(x.data, 512);
  REQUIRE(x.host()[20] == 3);
  return 0;
}
