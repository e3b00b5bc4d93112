#include "../../pair.cuh"

int main() {
  Device<float> x(ramp(32));
  float host[32];
#ifdef DEFECT
  memcpy(host, x.data, sizeof host);  // expect: MEM_DEVICE_POINTER
#else
  cudaMemcpy(host, x.data, sizeof host, cudaMemcpyDeviceToHost);
#endif
  REQUIRE(host[3] == 3);
  return 0;
}
