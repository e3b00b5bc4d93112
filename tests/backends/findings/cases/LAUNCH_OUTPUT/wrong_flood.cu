// kernelwright: task=../double.py entry=doubled
#include <cstdio>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {  // expect: LAUNCH_OUTPUT
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
  for (int i = 0; i < 4000000; ++i) std::printf("one line of very many that nobody will ever read\n");
}
