// The operator is called through a pointer to it.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>
#include <functional>

__global__ void copy_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}

torch::Tensor relu(torch::Tensor x) {
  auto y = std::invoke(&torch::Tensor::clamp_min, x, 0);
  auto out = torch::empty_like(y);
  int n = x.numel();
  copy_kernel<<<(n + 127) / 128, 128>>>(y.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
