// kernelwright: task=../double.py entry=doubled
#include <stdexcept>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  int block = 256;
  try {
    if (n % 256) throw std::invalid_argument("a ragged size");
  } catch (const std::invalid_argument&) {
    block = 128;
  }
  twice<<<(n + block - 1) / block, block>>>(x, y, n);
}
