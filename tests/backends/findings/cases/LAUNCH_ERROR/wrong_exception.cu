// kernelwright: task=../double.py entry=doubled
#include <stdexcept>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

void doubled(const float* x, float* y, int n) {
  if (n % 256) throw std::invalid_argument("n must be a multiple of 256");  // expect: LAUNCH_ERROR
  twice<<<n / 256, 256>>>(x, y, n);
}
