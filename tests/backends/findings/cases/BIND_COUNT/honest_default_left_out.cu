// kernelwright: task=../double.py entry=doubled args="x"
#include <torch/extension.h>
__global__ void twice(const float* x, float* y, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
torch::Tensor doubled(torch::Tensor x, double factor = 2.0, std::optional<torch::Tensor> bias = std::nullopt) {
  TORCH_CHECK(!bias.has_value());
  auto y = torch::empty_like(x);
  twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), factor);
  return y;
}
