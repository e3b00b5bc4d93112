#include "../../check.cuh"

__constant__ float table[16];

int main() {
  std::vector<float> host(32);
  cudaMemcpyToSymbol(table, host.data(), 32 * sizeof(float));  // expect: MEM_OUT_OF_BOUNDS
  return 0;
}
