// kernelwright: task=../double.py entry=doubled
#include <chrono>
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  bool odd = std::chrono::steady_clock::now().time_since_epoch().count() & 1;  // expect: HACK_SYMBOL
  twice<<<(n + 255) / 256, 256>>>(x, y, odd ? n : n + 0);
}
