#include "../../pair.cuh"

__global__ void statistics(const float* x, float* y, int n) {
  extern __shared__ unsigned char raw[];
  double* sums = reinterpret_cast<double*>(raw);
#ifdef DEFECT
  int* counts = reinterpret_cast<int*>(sums + n + 1);
#else
  int* counts = reinterpret_cast<int*>(sums + n);
#endif
  int t = threadIdx.x;
  sums[t] = x[t];
  counts[t] = t;  // expect: MEM_OUT_OF_BOUNDS
  __syncthreads();
  y[t] = (float)sums[n - 1 - t] + counts[n - 1 - t];  // expect: MEM_OUT_OF_BOUNDS
}

int main() {
  const int n = 64;
  Device<float> x(ramp(n)), y(n);
  statistics<<<1, n, n * (sizeof(double) + sizeof(int))>>>(x.data, y.data, n);
  REQUIRE(y.host()[63] == 0);
  return 0;
}
