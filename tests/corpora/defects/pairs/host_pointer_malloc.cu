#include "../../pair.cuh"

__global__ void total(const int* x, int* y) { atomicAdd(y, x[threadIdx.x]); }  // expect: MEM_HOST_POINTER

int main() {
  int* host = (int*)malloc(64 * sizeof(int));
  for (int i = 0; i < 64; ++i) host[i] = i;
  Device<int> x(std::vector<int>(host, host + 64)), y(std::vector<int>{0});
#ifdef DEFECT
  total<<<1, 64>>>(host, y.data);
#else
  total<<<1, 64>>>(x.data, y.data);
#endif
  free(host);
  REQUIRE(y.host()[0] == 2016);
  return 0;
}
