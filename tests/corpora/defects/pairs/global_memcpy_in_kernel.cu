#include "../../pair.cuh"

__global__ void pack(const char* from, char* to, int bytes) {
  int i = threadIdx.x;
#ifdef DEFECT
  memcpy(to + i * bytes, from + i * bytes, bytes + 1);  // expect: MEM_OUT_OF_BOUNDS, RACE_GLOBAL
#else
  memcpy(to + i * bytes, from + i * bytes, bytes);
#endif
}

int main() {
  Device<char> from(ramp<char>(32 * 24)), to(32 * 24);
  pack<<<1, 32>>>(from.data, to.data, 24);
  REQUIRE(to.host()[767] == 767 % 17);
  return 0;
}
