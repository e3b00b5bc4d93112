#include "../../check.cuh"

__global__ void wait(volatile int* flag, float* x) {
  while (*flag == 0) {  // expect: SYNC_DEADLOCK
  }
  *x = 1.0f;
}

int main() {
  Device<int> flag(std::vector<int>{0});
  Device<float> x(1);
  wait<<<1, 1>>>(flag.data, x.data);
  return 0;
}
