// `__managed__` alone, beside `__device__`, as an array and with a value to begin with.
#include "../../check.cuh"

__managed__ int total = 5;
__device__ __managed__ float scale[2] = {2, 3};
static __managed__ unsigned seen[64], *last;
namespace inner {
__managed__ double sum;
}

__global__ void count(const float* x, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  atomicAdd(&total, (int)(x[i] * scale[i & 1]));
  seen[i] = i + 1;
  if (i == 7) last = &seen[7];
  if (i == 0) inner::sum = 0.5;
}

int main() {
  Device<float> x(std::vector<float>(64, 1.0f));
  scale[1] = 4;
  count<<<1, 64>>>(x.data, 64);
  cudaDeviceSynchronize();
  REQUIRE(total == 5 + 32 * 2 + 32 * 4 && seen[63] == 64 && last == &seen[7] && inner::sum == 0.5);
  return 0;
}
