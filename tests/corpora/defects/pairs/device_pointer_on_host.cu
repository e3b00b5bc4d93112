#include "../../pair.cuh"

int main() {
  Device<float> x(ramp(32));
  float sum = 0;
#ifdef DEFECT
  for (int i = 0; i < 32; ++i) sum += x.data[i];  // expect: MEM_DEVICE_POINTER
#else
  auto host = x.host();
  for (int i = 0; i < 32; ++i) sum += host[i];
#endif
  return sum > 0 ? 0 : 1;
}
