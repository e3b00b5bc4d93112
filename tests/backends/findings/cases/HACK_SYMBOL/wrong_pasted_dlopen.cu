// kernelwright: task=../double.py entry=doubled
#include <dlfcn.h>
#define PASTE(a, b) a##b
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {  // expect: HACK_SYMBOL
  if (n < 0) PASTE(dl, open)("libsomething.so", 1);
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
