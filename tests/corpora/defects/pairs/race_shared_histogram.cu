#include "../../pair.cuh"

__global__ void histogram(const unsigned char* x, int* bins, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
#ifdef DEFECT
    local[x[i] & 15]++;  // expect: RACE_SHARED
#else
    atomicAdd(&local[x[i] & 15], 1);
#endif
  }
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = local[threadIdx.x];
}

int main() {
  Device<unsigned char> x(ramp<unsigned char>(512));
  Device<int> bins(16);
  histogram<<<1, 128>>>(x.data, bins.data, 512);
  REQUIRE(bins.host()[5] == 30);
  return 0;
}
