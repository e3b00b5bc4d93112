// A module of the C++ front end.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/linear_relu.py entry=forward args="x, linear.weight, linear.bias"
#include <torch/extension.h>
namespace F = torch::nn::functional;

__global__ void rectify(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = fmaxf(p[i], 0.0f);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto y = F::linear(x, w, b);
  rectify<<<(y.numel() + 127) / 128, 128>>>(y.data_ptr<float>(), y.numel());
  return y;
}
