#include "../../pair.cuh"

// Atomic, so no race; but the result is that of whoever comes last.
__global__ void elect(int* winner, int* y) {
#ifdef DEFECT
  atomicExch(winner, (int)threadIdx.x);  // expect: RACE_ORDER
#else
  atomicMax(winner, (int)threadIdx.x);
#endif
}

int main() {
  Device<int> winner(std::vector<int>{-1}), y(1);
  elect<<<1, 128>>>(winner.data, y.data);
  printf("%d\n", winner.host()[0]);
  return 0;
}
