// kernelwright: task=../double.py entry=doubled
#include <ctime>
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);  // expect: HACK_SYMBOL
  twice<<<(n + 255) / 256, 256>>>(x, y, now.tv_sec ? n : 0);
}
