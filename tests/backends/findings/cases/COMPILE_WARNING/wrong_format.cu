// kernelwright: task=../double.py entry=doubled
#include <cstdio>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
  if (i == 0 && n < 0) printf("first of %d: %d\n", n, y[0]);  // expect: COMPILE_WARNING
}

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
