#include "../../pair.cuh"

__device__ unsigned finished = 0;

__global__ void sum(const int* x, int* parts, int* y) {
  __shared__ bool last;
  int t = threadIdx.x;
  int v = __reduce_add_sync(0xffffffffu, x[blockIdx.x * 32 + t]);
  if (t == 0) {
    parts[blockIdx.x] = v;
#ifndef DEFECT
    __threadfence();
#endif
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    int total = t < gridDim.x ? parts[t] : 0;  // expect: RACE_GLOBAL
    total = __reduce_add_sync(0xffffffffu, total);
    if (t == 0) *y = total;
  }
}

int main() {
  Device<int> x(std::vector<int>(256, 1)), parts(8), y(1);
  sum<<<8, 32>>>(x.data, parts.data, y.data);
  REQUIRE(y.host()[0] == 256);
  return 0;
}
