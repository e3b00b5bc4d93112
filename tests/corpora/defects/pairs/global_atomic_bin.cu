#include "../../pair.cuh"

__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#ifdef DEFECT
    atomicAdd(&bins[x[i]], 1u);  // expect: MEM_OUT_OF_BOUNDS
#else
    atomicAdd(&bins[x[i] & 15], 1u);
#endif
  }
}

int main() {
  std::vector<unsigned char> host(300);
  for (int i = 0; i < 300; ++i) host[i] = (unsigned char)i;
  Device<unsigned char> x(host);
  Device<unsigned> bins(std::vector<unsigned>(16, 0));
  histogram<<<2, 64>>>(x.data, bins.data, 300);
  REQUIRE(bins.host()[0] == 19);
  return 0;
}
