#include <cuda/barrier>

#include "../../check.cuh"

__global__ void meet(float* x) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0) init(&all, blockDim.x + 1);
  __syncthreads();
  x[threadIdx.x] = 1;
  all.arrive_and_wait();  // expect: SYNC_DEADLOCK
  x[threadIdx.x] += x[(threadIdx.x + 1) % 64];
}

int main() {
  Device<float> x(64);
  meet<<<1, 64>>>(x.data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
