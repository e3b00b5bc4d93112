// Methods of tensors compute.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias"
#include <torch/extension.h>

__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}

torch::Tensor affine(torch::Tensor x, torch::Tensor w, torch::Tensor b) { return x.mul(w).add(b); }
