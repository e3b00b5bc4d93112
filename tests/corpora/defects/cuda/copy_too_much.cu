#include "../../check.cuh"

int main() {
  std::vector<float> host(128);
  Device<float> x(64);
  cudaMemcpy(x.data, host.data(), 128 * sizeof(float), cudaMemcpyHostToDevice);  // expect: MEM_OUT_OF_BOUNDS
  return 0;
}
