#include "../../pair.cuh"

__global__ void insertion(const int* x, int* y, int k) {
  int best[4] = {0, 0, 0, 0};
#ifdef DEFECT
  for (int i = 0; i < k; ++i) best[i] = x[threadIdx.x * k + i];  // expect: MEM_OUT_OF_BOUNDS
#else
  for (int i = 0; i < k; ++i) best[i & 3] = x[threadIdx.x * k + i];
#endif
  y[threadIdx.x] = best[0] + best[1] + best[2] + best[3];
}

int main() {
  Device<int> x(ramp<int>(160)), y(32);
  insertion<<<1, 32>>>(x.data, y.data, 5);
  return 0;
}
