// kernelwright: task=../double.py entry=doubled

#include <array>
#include <map>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) {
  static const std::map<int, int> blocks{{128, 2}, {256, 1}};
  static std::array<int, 2> tried{128, 256};
  static int multiprocessors = [] {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return properties.multiProcessorCount;
  }();
  int block = tried[multiprocessors > 0];
  twice<<<(n + block - 1) / block * blocks.at(block), block>>>(x, y, n);
}
