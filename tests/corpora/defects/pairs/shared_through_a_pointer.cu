#include "../../pair.cuh"

__device__ void swap_if(int* a, int i, int j) {
  int x = a[i], y = a[j];  // expect: MEM_OUT_OF_BOUNDS
  if (x > y) {
    a[i] = y;
    a[j] = x;  // expect: MEM_OUT_OF_BOUNDS
  }
}

__global__ void odd_even_sort(int* x) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = x[t + 32];
  __syncthreads();
  for (int step = 0; step < 64; ++step) {
    int i = 2 * t + (step & 1);
#ifdef DEFECT
    swap_if(s, i, i + 1);
#else
    if (i + 1 < 64) swap_if(s, i, i + 1);
#endif
    __syncthreads();
  }
  x[t] = s[t];
  x[t + 32] = s[t + 32];
}

int main() {
  Device<int> x(ramp<int>(64));
  odd_even_sort<<<1, 32>>>(x.data);
  REQUIRE(x.host()[63] == 16);
  return 0;
}
