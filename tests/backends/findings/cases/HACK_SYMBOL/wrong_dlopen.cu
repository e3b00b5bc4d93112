// kernelwright: task=../double.py entry=doubled
#include <dlfcn.h>
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  if (n < 0) dlopen("libsomething.so", 1);  // expect: HACK_SYMBOL
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
