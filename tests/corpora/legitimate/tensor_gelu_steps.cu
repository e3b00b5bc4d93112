// Two kernels and a tensor between them.
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias"
#include <torch/extension.h>

__global__ void linear(const float* x, const float* w, const float* b, float* out, int rows, int inner, int outer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outer) return;
  float sum = b[i % outer];
  for (int j = 0; j < inner; ++j) sum += x[i / outer * inner + j] * w[i % outer * inner + j];
  out[i] = sum;
}
__global__ void gelu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  const auto rows = x.size(0), inner = x.size(1), outer = weight.size(0);
  auto between = torch::empty({rows, outer}, x.options());
  auto out = torch::empty_like(between);
  const int n = rows * outer, blocks = (n + 255) / 256;
  linear<<<blocks, 256>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), between.data_ptr<float>(), rows, inner, outer);
  gelu<<<blocks, 256>>>(between.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
