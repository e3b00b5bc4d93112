#include "../../pair.cuh"

int main() {
  Device<float> x(64);
  std::vector<float> host = ramp(64);
#ifdef DEFECT
  cudaMemcpy(x.data, host.data(), 64 * sizeof(float), cudaMemcpyDeviceToHost);  // expect: MEM_HOST_POINTER, MEM_DEVICE_POINTER
#else
  cudaMemcpy(x.data, host.data(), 64 * sizeof(float), cudaMemcpyDefault);
#endif
  return 0;
}
