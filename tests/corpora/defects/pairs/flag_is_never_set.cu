#include "../../pair.cuh"

__global__ void wait(volatile int* flag, int* y) {
  int t = threadIdx.x;
#ifdef DEFECT
  if (t == 0) *flag = 1;
  while (*flag != 2) {  // expect: SYNC_DEADLOCK
#else
  if (t == 0) *flag = 2;
  while (*flag != 2) {
#endif
  }
  y[t] = t;
}

int main() {
  Device<int> flag(std::vector<int>{0}), y(32);
  wait<<<1, 32>>>(flag.data, y.data);
  return 0;
}
