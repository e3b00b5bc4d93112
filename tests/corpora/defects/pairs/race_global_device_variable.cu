#include "../../pair.cuh"

__device__ int largest = 0;

__global__ void maximum(const int* x) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef DEFECT
  if (v > largest) largest = v;  // expect: RACE_GLOBAL
#else
  atomicMax(&largest, v);
#endif
}

int main() {
  Device<int> x(ramp<int>(128));
  maximum<<<2, 64>>>(x.data);
  int host = 0;
  cudaMemcpyFromSymbol(&host, largest, sizeof host);
  REQUIRE(host == 16);
  return 0;
}
