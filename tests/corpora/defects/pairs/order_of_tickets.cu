#include "../../pair.cuh"

// A list in the order of tickets is as good in any order; a sum over what the tickets stand for is not.
__global__ void rank(const int* x, int* next, int* y) {
  int i = threadIdx.x;
  int ticket = atomicAdd(next, 1);
#ifdef DEFECT
  atomicAdd(&y[0], ticket * x[i]);  // expect: RACE_ORDER
#else
  y[1 + ticket] = x[i];
#endif
}

int main() {
  Device<int> x(ramp<int>(64)), next(std::vector<int>{0}), y(std::vector<int>(65, 0));
  rank<<<1, 64>>>(x.data, next.data, y.data);
  printf("%d\n", y.host()[0]);
  return 0;
}
