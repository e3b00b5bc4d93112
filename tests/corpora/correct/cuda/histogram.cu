#include "../../check.cuh"

__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i] % 64], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

int main() {
  std::vector<unsigned char> host(5000);
  for (int i = 0; i < 5000; ++i) host[i] = (unsigned char)(i * 7);
  Device<unsigned char> x(host);
  Device<unsigned> bins(64);
  cudaMemset(bins.data, 0, 64 * sizeof(unsigned));
  histogram<<<3, 96>>>(x.data, bins.data, 5000);
  std::vector<unsigned> expected(64, 0);
  for (auto v : host) ++expected[v % 64];
  auto o = bins.host();
  for (int i = 0; i < 64; ++i) REQUIRE(o[i] == expected[i]);
  return 0;
}
