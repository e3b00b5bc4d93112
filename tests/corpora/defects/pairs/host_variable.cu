#include "../../pair.cuh"

int threshold = 5;

__global__ void cut(int* x, const int* limit) {
  if (x[threadIdx.x] > *limit) x[threadIdx.x] = *limit;  // expect: MEM_HOST_POINTER
}

int main() {
  Device<int> x(ramp<int>(32)), limit(std::vector<int>{threshold});
#ifdef DEFECT
  cut<<<1, 32>>>(x.data, &threshold);
#else
  cut<<<1, 32>>>(x.data, limit.data);
#endif
  REQUIRE(x.host()[10] == 5);
  return 0;
}
