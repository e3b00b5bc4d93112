#include "../../pair.cuh"

__global__ void count(int* counter) {
#ifdef DEFECT
  int seen = atomicAdd(counter, 0);
  __syncwarp();
  atomicExch(counter, seen + (int)threadIdx.x);  // expect: RACE_ORDER
#else
  atomicAdd(counter, (int)threadIdx.x);
#endif
}

int main() {
  Device<int> counter(std::vector<int>{0});
  count<<<2, 64>>>(counter.data);
  printf("%d\n", counter.host()[0]);
  return 0;
}
