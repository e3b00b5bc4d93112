// kernelwright: task=../double.py entry=doubled
#include <cstdlib>
#include <cstring>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {  // expect: LAUNCH_MEMORY
  for (int i = 0; i < 1 << 20; ++i) std::memset(std::malloc(64 << 20), i, 64 << 20);
  twice<<<(n + 255) / 256, 256>>>(x, y, n);
}
