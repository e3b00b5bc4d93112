#include "../../pair.cuh"

__device__ int table[8][8];

// A column too far is the next row's first element, which another thread stores: one mistake, told once.
__global__ void fill(int columns) {
  for (int c = 0; c < columns; ++c) table[threadIdx.x][c] = 100 * threadIdx.x + c;  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
#ifdef DEFECT
  fill<<<1, 7>>>(9);
#else
  fill<<<1, 7>>>(8);
#endif
  int first;
  cudaMemcpyFromSymbol(&first, table, sizeof first);
  REQUIRE(first == 0);
  return 0;
}
