#include "../../pair.cuh"

// Only the first elements of the list are written, and only these are read.
__global__ void select(const int* x, int* list, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] % 2) list[atomicAdd(count, 1)] = x[i];
}

int main() {
  Device<int> x(ramp<int>(100)), list(100), count(std::vector<int>{0});
  select<<<2, 64>>>(x.data, list.data, count.data, 100);
  auto host = list.host();
  int found = count.host()[0], sum = 0;
#ifdef DEFECT
  for (int i = 0; i <= found; ++i) sum += host[i];  // expect: INIT_UNINITIALISED_READ
#else
  for (int i = 0; i < found; ++i) sum += host[i];
#endif
  printf("%d\n", sum);
  return 0;
}
