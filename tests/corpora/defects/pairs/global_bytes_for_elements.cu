#include "../../pair.cuh"

__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  const int n = 256;
  int* x = nullptr;
#ifdef DEFECT
  cudaMalloc(&x, n);
#else
  cudaMalloc(&x, n * sizeof(int));
#endif
  fill<<<1, n>>>(x, n);
  cudaFree(x);
  return 0;
}
