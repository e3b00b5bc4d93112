#include "../../pair.cuh"

__global__ void parse(const unsigned char* message, int* y) {
  int t = threadIdx.x;
#ifdef DEFECT
  y[t] = *(const int*)(message + 1 + 4 * t);  // expect: MEM_MISALIGNED
#else
  int value;
  memcpy(&value, message + 1 + 4 * t, sizeof value);
  y[t] = value;
#endif
}

int main() {
  Device<unsigned char> message(ramp<unsigned char>(80));
  Device<int> y(16);
  parse<<<1, 16>>>(message.data, y.data);
  REQUIRE(y.host()[0] == 0x04030201);
  return 0;
}
