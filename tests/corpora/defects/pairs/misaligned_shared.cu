#include "../../pair.cuh"

__global__ void convert(const double* x, double* y, int n) {
  extern __shared__ char raw[];
#ifdef DEFECT
  int* flags = (int*)raw;
  double* values = (double*)(flags + n);
#else
  double* values = (double*)raw;
  int* flags = (int*)(values + n);
#endif
  int t = threadIdx.x;
  flags[t] = t & 1;
  values[t] = x[t];  // expect: MEM_MISALIGNED
  __syncthreads();
  y[t] = flags[t] ? values[n - 1 - t] : values[t];  // expect: MEM_MISALIGNED
}

int main() {
  const int n = 33;
  Device<double> x(ramp<double>(n)), y(n);
  convert<<<1, n, n * (sizeof(double) + sizeof(int))>>>(x.data, y.data, n);
  REQUIRE(y.host()[32] == 15);
  return 0;
}
