#include "../../pair.cuh"

__global__ void sum(const unsigned* x, unsigned* y) {
  unsigned lane = threadIdx.x;
#ifdef DEFECT
  unsigned mask = lane & 1 ? 0xffffffffu : 0x55555555u;
#else
  unsigned mask = lane & 1 ? 0xaaaaaaaau : 0x55555555u;
#endif
  y[lane] = __reduce_add_sync(mask, x[lane]);  // expect: SYNC_INVALID_MASK
}

int main() {
  unsigned *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 128);
  cudaMemset(x, 0, 128);
  sum<<<1, 32>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return 0;
}
