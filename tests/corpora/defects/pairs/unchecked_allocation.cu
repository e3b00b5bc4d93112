#include "../../pair.cuh"

__global__ void fill(float* x, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;  // expect: MEM_OUT_OF_BOUNDS?
}

int main() {
  float* x = nullptr;
  size_t n = size_t(1) << 40;
#ifdef DEFECT
  cudaMalloc(&x, n * sizeof(float));  // expect: LAUNCH_UNCHECKED
#else
  if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) {
    n = 256;
    cudaGetLastError();
    cudaMalloc(&x, n * sizeof(float));
  }
#endif
  fill<<<1, 256>>>(x, n);
  cudaFree(x);
  return 0;
}
