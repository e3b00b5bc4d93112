#include "../../pair.cuh"

int main() {
#ifdef DEFECT
  cudaSetDevice(7);  // expect: LAUNCH_UNCHECKED
#else
  int count = 0;
  cudaGetDeviceCount(&count);
  cudaSetDevice(count > 7 ? 7 : 0);
#endif
  Device<int> x(ramp<int>(8));
  return x.host()[3] == 3 ? 0 : 1;
}
