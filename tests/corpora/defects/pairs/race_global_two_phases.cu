#include "../../pair.cuh"

#include <cooperative_groups.h>

// The second half needs what all blocks of the first have written.
__global__ void normalise(const float* x, float* parts, float* y) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = x[i];
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) parts[blockIdx.x] = s[0];
#ifdef DEFECT
  __syncthreads();
#else
  cooperative_groups::this_grid().sync();
#endif
  float total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += parts[b];  // expect: RACE_GLOBAL, INIT_UNINITIALISED_READ?
  y[i] = x[i] / total;
}

int main() {
  Device<float> x(std::vector<float>(256, 1.0f)), parts(std::vector<float>(4, 0.0f)), y(256);
  void* arguments[] = {&x.data, &parts.data, &y.data};
  cudaLaunchCooperativeKernel((void*)normalise, dim3(4), dim3(64), arguments, 0, 0);
  REQUIRE(y.host()[200] == 1.0f / 256);
  return 0;
}
