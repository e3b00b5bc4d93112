#include "../../pair.cuh"

__device__ int table[32];

__global__ void fill(int* values) { values[threadIdx.x] = threadIdx.x; }

int main() {
#ifdef DEFECT
  fill<<<1, 32>>>(table);  // expect: MEM_HOST_POINTER
#else
  int* address = nullptr;
  cudaGetSymbolAddress((void**)&address, table);
  fill<<<1, 32>>>(address);
#endif
  cudaDeviceSynchronize();
  return 0;
}
