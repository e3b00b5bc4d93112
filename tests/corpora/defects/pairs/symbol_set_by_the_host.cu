#include "../../pair.cuh"

__device__ int counter;
__device__ __managed__ int shared_counter;

__global__ void count() {
  atomicAdd(&counter, 1);
  atomicAdd(&shared_counter, 1);
}

int main() {
  shared_counter = 0;
#ifdef DEFECT
  counter = 0;  // expect: MEM_DEVICE_POINTER
#else
  int zero = 0;
  cudaMemcpyToSymbol(counter, &zero, sizeof zero);
#endif
  count<<<1, 32>>>();
  cudaDeviceSynchronize();
  return shared_counter == 32 ? 0 : 1;
}
