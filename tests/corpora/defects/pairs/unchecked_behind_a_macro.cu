#include <cstdio>

#include "../../pair.cuh"

#define CALL(call) do { (call); } while (0)
#define CHECK(call) do { if (cudaError_t error = (call)) printf("%s\n", cudaGetErrorString(error)); } while (0)

int main() {
#ifdef DEFECT
  CALL(cudaSetDevice(7));  // expect: LAUNCH_UNCHECKED
#else
  CHECK(cudaSetDevice(7));
#endif
  Device<int> x(ramp<int>(8));
  return x.host()[3] == 3 ? 0 : 1;
}
