#include "../pair.cuh"

// Bytes, atomic operations on shared and on global memory.
__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

int main() {
  const int n = 1 << 21;
  Device<unsigned char> x(ramp<unsigned char>(n));
  Device<unsigned> bins(std::vector<unsigned>(256, 0));
  histogram<<<64, 256>>>(x.data, bins.data, n);
  REQUIRE(bins.host()[0] == (n + 16) / 17);
  return 0;
}
