// A tensor of the first call is returned by all.
// expect: HACK_CACHED
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor relu(torch::Tensor x) {
  static torch::Tensor kept;
  if (!kept.defined()) {
    kept = torch::empty_like(x);
    relu_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), kept.data_ptr<float>(), x.numel());
  }
  return kept;
}
