// kernelwright: task=../double.py entry=doubled args="x, None"
#include <torch/extension.h>
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
torch::Tensor doubled(torch::Tensor x, torch::Tensor bias) {  // expect: BIND_PARAMETER
  auto y = torch::empty_like(x);
  twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), bias.defined() ? 0 : x.numel());
  return y;
}
