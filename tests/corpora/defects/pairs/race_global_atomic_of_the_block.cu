#include "../../pair.cuh"

__global__ void tally(const int* x, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i < n) atomicAdd_block(&bins[x[i] % 8], 1);  // expect: RACE_GLOBAL
#else
  if (i < n) atomicAdd(&bins[x[i] % 8], 1);
#endif
}

// Each block has its own counters.
__global__ void tally_alone(const int* x, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd_block(&bins[blockIdx.x * 8 + x[i] % 8], 1);
}

int main() {
  const int n = 600;
  Device<int> x(ramp<int>(n)), bins(std::vector<int>(8, 0)), apart(std::vector<int>(24, 0));
  tally<<<3, 256>>>(x.data, bins.data, n);
  tally_alone<<<3, 256>>>(x.data, apart.data, n);
  printf("%d %d\n", bins.host()[0], apart.host()[8]);
  return 0;
}
