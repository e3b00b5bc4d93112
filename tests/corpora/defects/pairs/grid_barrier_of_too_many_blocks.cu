#include "../../pair.cuh"

// Each of the device's 132 processors holds one of these blocks.
__global__ void neighbours(const int* x, int* t, int* y, unsigned* arrived) {
  extern __shared__ int own[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  own[threadIdx.x] = x[i];
  t[i] = 2 * own[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {  // expect: SYNC_DEADLOCK
    }
    __threadfence();
  }
  __syncthreads();
  y[i] = t[n - 1 - i];
}

int main() {
#ifdef DEFECT
  const int blocks = 160;
#else
  const int blocks = 120;
#endif
  const int bytes = 200 << 10;
  Device<int> x(ramp<int>(blocks * 32)), t(blocks * 32), y(blocks * 32);
  Device<unsigned> arrived(std::vector<unsigned>{0});
  REQUIRE(cudaFuncSetAttribute(neighbours, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess);
  neighbours<<<blocks, 32, bytes>>>(x.data, t.data, y.data, arrived.data);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  printf("%d\n", y.host()[0]);
  return 0;
}
