// kernelwright: task=../double.py entry=doubled

#include <iostream>

__constant__ float factor = 2.0f;
__device__ int calls = 0;
constexpr int kBlock = 256;
static const int kTable[] = {kBlock, 2 * kBlock};
struct Size {
  int block;
  constexpr Size(int b) : block(b) {}
};
static constexpr Size size{kBlock};

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&calls, 1);
  if (i < n) y[i] = factor * x[i];
}

void doubled(const float* x, float* y, int n) {
  if (n < 0) std::cerr << "a negative size\n";
  twice<<<(n + size.block - 1) / size.block, size.block>>>(x, y, n);
}
