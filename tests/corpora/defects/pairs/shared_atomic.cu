#include "../../pair.cuh"

__global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int local[10];
  int t = threadIdx.x;
  if (t < 10) local[t] = 0;
  __syncthreads();
#ifdef DEFECT
  for (int i = t; i < n; i += blockDim.x) atomicAdd(&local[x[i]], 1);  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int i = t; i < n; i += blockDim.x) atomicAdd(&local[x[i] % 10], 1);
#endif
  __syncthreads();
  if (t < 10) bins[t] = local[t];
}

int main() {
  Device<int> x(ramp<int>(170)), bins(10);
  histogram<<<1, 32>>>(x.data, bins.data, 170);
  REQUIRE(bins.host()[0] == 20);
  return 0;
}
