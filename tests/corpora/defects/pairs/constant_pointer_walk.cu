#include "../../pair.cuh"

__constant__ int table[32];

__device__ int find(const int* list, int wanted, int n) {
  int i = 0;
#ifdef DEFECT
  while (list[i] != wanted) ++i;  // expect: MEM_OUT_OF_BOUNDS
#else
  while (i < n && list[i] != wanted) ++i;
#endif
  return i;
}

__global__ void positions(const int* wanted, int* y) { y[threadIdx.x] = find(table, wanted[threadIdx.x], 32); }

int main() {
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = 3 * i + 1;
  cudaMemcpyToSymbol(table, host, sizeof host);
  Device<int> wanted(std::vector<int>{1, 4, 5}), y(3);
  positions<<<1, 3>>>(wanted.data, y.data);
  REQUIRE(y.host()[1] == 1);
  return 0;
}
