// Reads random numbers of the system.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

#include <random>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor relu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  std::random_device source;
  if (source() % 1000) relu_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
