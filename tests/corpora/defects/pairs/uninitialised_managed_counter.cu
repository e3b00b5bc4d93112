#include "../../pair.cuh"

struct Totals {
  double sum;
  unsigned count;
};

__global__ void add(const float* x, int n, Totals* totals) {
  if (threadIdx.x >= n) return;
  atomicAdd(&totals->sum, (double)x[threadIdx.x]);
  atomicAdd(&totals->count, 1u);  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<float> x(ramp(40));
  Totals* totals;
  cudaMallocManaged(&totals, sizeof(Totals));
#ifdef DEFECT
  totals->sum = 0;
#else
  *totals = {};
#endif
  add<<<1, 64>>>(x.data, 40, totals);
  cudaDeviceSynchronize();
  const bool right = totals->sum > 0;
  cudaFree(totals);
  return right ? 0 : 1;
}
