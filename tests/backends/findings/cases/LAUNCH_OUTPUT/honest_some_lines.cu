// kernelwright: task=../double.py entry=doubled
#include <cstdio>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 500 == 0) printf("thread %d\n", i);
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  std::printf("%d elements\n", n);
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
