#include "../../check.cuh"

int main() {
  volatile float* nowhere = nullptr;
  *nowhere = 1.0f;  // expect: LAUNCH_CRASH
  return 0;
}
