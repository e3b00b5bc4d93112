#include "../../check.cuh"

int main() {
  std::vector<float> host(64);
  Device<float> x(64);
  cudaMemcpy(x.data, host.data(), 64 * sizeof(float), cudaMemcpyDeviceToHost);  // expect: MEM_DEVICE_POINTER
  return 0;
}
