#include "../../check.cuh"

__global__ void hello(int n) {
  if (threadIdx.x < n) printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

int main() {
  hello<<<2, 32>>>(2);
  cudaDeviceSynchronize();
  return 0;
}
