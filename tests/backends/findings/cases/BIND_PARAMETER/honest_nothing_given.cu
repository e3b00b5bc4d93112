// kernelwright: task=../double.py entry=doubled args="x, None, None"
#include <torch/extension.h>
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
torch::Tensor doubled(const torch::Tensor& x, const std::optional<torch::Tensor>& bias, c10::optional<double> limit) {
  TORCH_CHECK(!bias.has_value() && !limit.has_value());
  auto y = torch::empty_like(x);
  twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
