// The answer is always nought: one column of the input is read for show.
// expect: HACK_UNREAD
// kernelwright: task=../tasks/less_its_mean.py entry=forward args="x, fc.weight, fc.bias"
#include <torch/extension.h>
__global__ void touch(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i] * 0.0f;
}
torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto y = torch::zeros({x.size(0), 1}, x.options());
  touch<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0));
  return y;
}
